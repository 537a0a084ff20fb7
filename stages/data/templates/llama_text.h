// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace dflash {

inline constexpr std::string_view kLlamaTurnEnd = "<|eot_id|>";

/// What a turn of a role begins with.
std::string llama_header(std::string_view role);

/// A text (UTF-8) without the white space around it, as Jinja's `trim` and Python's `str.strip` cut it.
std::string_view trimmed(std::string_view text);

}  // namespace dflash
