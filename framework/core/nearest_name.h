// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dflash {

/// The candidate with the smallest edit distance to `name` (two letters swapped count once), if it is near enough to be
/// a slip: at most a third of the letters, at least one. Empty otherwise.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// "; did you mean 'X'?" or, where nothing is near, "; known: a, b, c". Empty without candidates.
std::string suggestion(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace dflash
