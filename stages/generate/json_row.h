// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/item.h"

namespace dflash {

/// Lines of a JSONL file, in order, without the line ends.
struct JsonRows {
  /// Rows that were worked off and gave no line.
  struct LeftOut {
    std::int64_t rows = 0;
    std::string words;  // of what kind they are, and what to do about it: "with an answer that ..."
  };
  std::vector<std::string> lines;
  std::map<std::string, LeftOut> left_out{};  // by reason: "unfinished"
};

template <>
struct ItemType<JsonRows> {
  static constexpr std::string_view kName = "json_rows";
  static std::int64_t bytes(const JsonRows& rows) {
    std::int64_t sum = 0;
    for (const std::string& line : rows.lines) {
      sum += static_cast<std::int64_t>(line.size()) + 1;
    }
    return sum;
  }
  static std::string serialize(const JsonRows& rows);
  static JsonRows deserialize(std::string_view bytes, const std::string& device);
};

}  // namespace dflash
