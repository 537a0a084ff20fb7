// SPDX-License-Identifier: Apache-2.0
#include "stages/data/utf8.h"

#include <cstdint>

namespace dflash {

namespace {

/// How many bytes follow a lead byte, and in which range the first of them lies.
struct Continuation {
  std::size_t count = 0;
  std::uint8_t low = 0x80;
  std::uint8_t high = 0xBF;
};

Continuation continuation_of(std::uint8_t lead) {
  if (lead >= 0xC2 && lead <= 0xDF) {
    return {.count = 1};
  }
  if (lead >= 0xE0 && lead <= 0xEF) {
    return {.count = 2,
            .low = static_cast<std::uint8_t>(lead == 0xE0 ? 0xA0 : 0x80),
            .high = static_cast<std::uint8_t>(lead == 0xED ? 0x9F : 0xBF)};
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    return {.count = 3,
            .low = static_cast<std::uint8_t>(lead == 0xF0 ? 0x90 : 0x80),
            .high = static_cast<std::uint8_t>(lead == 0xF4 ? 0x8F : 0xBF)};
  }
  return {};
}

}  // namespace

Utf8Step utf8_step(std::string_view bytes) {
  const auto lead = static_cast<std::uint8_t>(bytes[0]);
  if (lead < 0x80) {
    return {.length = 1, .valid = true};
  }
  Continuation expected = continuation_of(lead);
  std::size_t length = 1;
  while (length <= expected.count && length < bytes.size()) {
    const auto byte = static_cast<std::uint8_t>(bytes[length]);
    if (byte < expected.low || byte > expected.high) {
      break;
    }
    expected.low = 0x80;
    expected.high = 0xBF;
    ++length;
  }
  return {.length = length, .valid = expected.count > 0 && length == expected.count + 1};
}

std::optional<std::size_t> find_invalid_utf8(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const Utf8Step step = utf8_step(bytes.substr(at));
    if (!step.valid) {
      return at;
    }
    at += step.length;
  }
  return std::nullopt;
}

std::string replace_invalid_utf8(std::string bytes) {
  if (!find_invalid_utf8(bytes)) {
    return bytes;
  }
  std::string text;
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::string_view rest = std::string_view{bytes}.substr(at);
    const Utf8Step step = utf8_step(rest);
    text += step.valid ? rest.substr(0, step.length) : std::string_view{"\xEF\xBF\xBD"};
    at += step.length;
  }
  return text;
}

}  // namespace dflash
