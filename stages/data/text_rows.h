// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace dflash {

/// What makes a row of a text file: a line, or a paragraph (lines up to a blank one). Blank lines are never rows.
enum class RowUnit { kLine, kParagraph };

/// The rows of a text file by number. A plain file is indexed once and read row by row; what xz packed is held in
/// memory.
class TextRows {
 public:
  /// Throws UserError where the file cannot be read.
  TextRows(std::filesystem::path path, RowUnit unit);

  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(rows_.size()); }
  /// The text of a row, without the line break at its end.
  [[nodiscard]] std::string row(std::int64_t index);
  /// "file:line", where the row begins.
  [[nodiscard]] std::string place(std::int64_t index) const;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  struct Row {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    std::uint64_t line = 0;  // 1-based
  };
  class Indexer;

  std::filesystem::path path_;
  std::vector<Row> rows_;
  std::ifstream file_;   // a plain file
  std::string content_;  // what was packed
  bool packed_;
};

}  // namespace dflash
