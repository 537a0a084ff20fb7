// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dflash {

/// Returns the text of a Jinja template without the differences that mean nothing: a line break at the end, CRLF for
/// LF, and a line break in a string for its escape `\n`.
std::string normalized_template(std::string_view text);

/// XXH3 (64 bits) of the normalised text, by which a template is recognised.
std::uint64_t template_key(std::string_view text);

}  // namespace dflash
