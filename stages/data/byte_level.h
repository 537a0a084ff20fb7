// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dflash {

/// Returns the printable character (UTF-8) that stands for a byte in the vocabulary files of byte-level BPE, GPT-2's
/// table: printable Latin-1 bytes stand for themselves, the others for U+0100 and following ("Ġ" is the space).
std::string byte_level_character(std::uint8_t byte);

/// Returns the bytes that a vocabulary entry stands for, or nothing where a character of it is outside of the table.
std::optional<std::string> bytes_of_token(std::string_view token);

}  // namespace dflash
