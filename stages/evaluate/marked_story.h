// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stages/evaluate/acceptance.h"

namespace dflash {

/// How accepted runs are shown: `[in brackets]`, or in green on a terminal.
enum class MarkStyle { kBrackets, kColours };

/// Prints an answer with the drafted and accepted runs marked; what stands outside was chosen by the target itself.
/// `pieces` holds the bytes of each token of the answer, the prefill's token first, then those of `rounds`. Lines are
/// broken at spaces so that none is longer than `columns` (marks counted, colours not), and open with `indent`. A mark
/// that would fall inside a character moves behind it.
std::string marked_story(const std::vector<std::string>& pieces, const std::vector<DecodeRound>& rounds,
                         MarkStyle style, std::int64_t columns = 100, const std::string& indent = "  ");

}  // namespace dflash
