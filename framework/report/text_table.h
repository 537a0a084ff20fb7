// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace dflash {

/// An aligned table of plain text: columns as wide as their content, two spaces between, no trailing blanks.
///
///   TextTable table{{"stage", TextTable::kLeft}, {"firings", TextTable::kRight}};
///   table.row({"drafter", "800"});
class TextTable {
 public:
  enum Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = kRight;
  };
  explicit TextTable(std::vector<Column> columns) : columns_{std::move(columns)} {}

  /// One cell a column.
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// Title line and rows, each indented and ended by a newline. Empty without rows.
  [[nodiscard]] std::string text(std::size_t indent) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Cuts a name that is longer than `width` in its middle: "data.docu~h.documents".
std::string shortened(const std::string& name, std::size_t width);

/// Breaks a text at blanks into lines of at most `width` columns; the first begins with `lead`, the others with as many
/// blanks. A word that is longer stands alone.
std::string wrapped(const std::string& lead, const std::string& text, std::size_t width);

}  // namespace dflash
