// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace dflash {

/// What stands at the head of some bytes: a code point of `length` bytes, or `length` bytes that are none (the longest
/// start of one, at least a byte).
struct Utf8Step {
  std::size_t length = 0;
  bool valid = false;
};

/// Looks at the head of `bytes`, which must not be empty. Surrogates and overlong forms are invalid.
Utf8Step utf8_step(std::string_view bytes);

/// Returns the offset of the first byte that is not UTF-8, or nothing.
std::optional<std::size_t> find_invalid_utf8(std::string_view bytes);

/// Replaces each invalid part by U+FFFD, as Unicode recommends (maximal subparts) and Rust's `from_utf8_lossy` does.
std::string replace_invalid_utf8(std::string bytes);

}  // namespace dflash
