// SPDX-License-Identifier: Apache-2.0
#include "stages/data/byte_level.h"

#include <array>

namespace dflash {

namespace {

constexpr std::size_t kCodePoints = 0x144;

bool stands_for_itself(std::uint32_t byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || (byte >= 0xAE && byte <= 0xFF);
}

struct Table {
  std::array<std::uint16_t, 256> code_point_of{};
  std::array<std::int16_t, kCodePoints> byte_of{};
};

const Table& table() {
  static const Table made = [] {
    Table result;
    result.byte_of.fill(-1);
    std::uint16_t next = 0x100;
    for (std::uint16_t byte = 0; byte < 256; ++byte) {
      const std::uint16_t code_point = stands_for_itself(byte) ? byte : next++;
      result.code_point_of[byte] = code_point;
      result.byte_of[code_point] = static_cast<std::int16_t>(byte);
    }
    return result;
  }();
  return made;
}

}  // namespace

std::string byte_level_character(std::uint8_t byte) {
  const std::uint16_t code_point = table().code_point_of[byte];
  if (code_point < 0x80) {
    return {static_cast<char>(code_point)};
  }
  return {static_cast<char>(0xC0 | (code_point >> 6)), static_cast<char>(0x80 | (code_point & 0x3F))};
}

std::optional<std::string> bytes_of_token(std::string_view token) {
  std::string bytes;
  for (std::size_t at = 0; at < token.size(); ++at) {
    std::uint32_t code_point = static_cast<std::uint8_t>(token[at]);
    if (code_point >= 0xC0 && code_point < 0xE0 && at + 1 < token.size()) {
      code_point = ((code_point & 0x1F) << 6) | (static_cast<std::uint8_t>(token[++at]) & 0x3F);
    } else if (code_point >= 0x80) {
      return std::nullopt;
    }
    if (code_point >= kCodePoints || table().byte_of[code_point] < 0) {
      return std::nullopt;
    }
    bytes += static_cast<char>(table().byte_of[code_point]);
  }
  return bytes;
}

}  // namespace dflash
