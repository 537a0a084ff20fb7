// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/item.h"

namespace dflash {

/// Some lines of a text file, as they stand.
struct TextLines {
  struct Line {
    std::int64_t number = 0;  // in the file, from 1
    std::string text;
  };
  std::string file;
  std::int64_t first_row = 0;  // of the first line, among those of the file that are not blank
  std::vector<Line> lines;
};

template <>
struct ItemType<TextLines> {
  static constexpr std::string_view kName = "text_lines";
  static std::int64_t bytes(const TextLines& lines) {
    std::size_t sum = sizeof(TextLines);
    for (const TextLines::Line& line : lines.lines) {
      sum += line.text.size() + sizeof(TextLines::Line);
    }
    return static_cast<std::int64_t>(sum);
  }
  static std::string serialize(const TextLines& lines);
  static TextLines deserialize(std::string_view bytes, const std::string& device);
};

}  // namespace dflash
