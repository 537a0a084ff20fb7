// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "framework/analysis/run_comparison.h"

namespace dflash {

/// "B is faster: 12 % more steps/s (95 %: 9 to 15 %), equal losses."; of so few runs that their spread is not measured
/// "B ran faster: ...", and what that is worth.
std::string comparison_sentence(const RunComparison& comparison);

/// "12 % more steps/s (95 %: 9.0 to 15 %)", "1.0 % fewer tokens/s (95 %: 4.0 % fewer to 2.0 % more)".
std::string change_text(const Estimate& ratio, const std::string& unit);

/// "1.234", "19.4K", "0.00012".
std::string ratio_text(double ratio);

/// "1.100 to 1.368".
std::string bounds_text(const Estimate& ratio);

/// "16.2 steps/s (15.9 to 16.5)".
std::string rate_text(const Estimate& rate, const std::string& unit);

/// "equal losses", "losses differ by up to 0.31 % (step 12)", "no losses to compare".
std::string loss_text(const LossDifference& losses);

/// The sentence, tables of stages and edges, notes: at most `width` columns where a text can be broken.
std::string comparison_text(const RunComparison& comparison, std::size_t width);

}  // namespace dflash
