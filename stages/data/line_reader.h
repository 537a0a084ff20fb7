// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "stages/data/text_file.h"

namespace dflash {

/// The lines of a text file, plain or .xz, one after the other; holds a piece of the file and the line, never more.
class LineReader {
 public:
  /// Where reading goes on.
  struct Place {
    std::uint64_t offset = 0;  // in the unpacked content
    std::int64_t line = 0;     // lines before it, blank ones too

    friend bool operator==(const Place&, const Place&) = default;
  };

  explicit LineReader(const std::filesystem::path& path) : LineReader{path, Place{}} {}
  LineReader(const std::filesystem::path& path, Place from);

  /// The next line that is not blank, without its end; false at the file's end. Throws UserError as TextPieces does.
  [[nodiscard]] bool next(std::string& line);
  /// Behind the line that `next` gave last: `line` is its number, from 1.
  [[nodiscard]] const Place& place() const { return place_; }

 private:
  [[nodiscard]] bool read_line(std::string& line);

  TextPieces pieces_;
  std::string_view piece_;
  Place place_;
};

}  // namespace dflash
