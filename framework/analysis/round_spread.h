// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "framework/analysis/block_ratio.h"

namespace dflash {

/// How far runs differ that were made in rounds, each variant once a round. What a whole round has in common (another
/// program on the machine) is taken out, since it falls on all variants alike, and all variants together tell what is
/// left (a randomised block design). `log_costs`: of each variant, of each of the same rounds. Nothing where less than
/// kFewestDegrees remain.
std::optional<RunSpread> round_spread(const std::vector<std::vector<double>>& log_costs);

}  // namespace dflash
