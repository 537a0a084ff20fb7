// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
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
  static constexpr std::int64_t kAllRows = std::numeric_limits<std::int64_t>::max();

  /// Reads no further than `most_rows` rows. Throws UserError where the file cannot be read.
  TextRows(std::filesystem::path path, RowUnit unit, std::int64_t most_rows = kAllRows);

  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(rows_.size()); }
  /// Whether these are all the rows of the file.
  [[nodiscard]] bool complete() const { return complete_; }
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
  bool complete_ = true;
};

}  // namespace dflash
