// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dflash {

/// Puts each part where the page has its {{name}}. Parts are not searched; a name without a part becomes nothing.
std::string filled_page(std::string_view page, const std::vector<std::pair<std::string_view, std::string>>& parts);

/// Files of scripts as one, with names of their own and nobody else's.
std::string script_text(std::span<const std::string_view> scripts);

}  // namespace dflash
