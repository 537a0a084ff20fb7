// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "framework/core/catalog.h"
#include "framework/core/diagnostics.h"
#include "framework/core/json_text.h"

namespace dflash {

/// Applies --swap STAGE=TYPE. Parameters that the new type does not know are dropped; returns a sentence for each such
/// swap.
std::vector<std::string> apply_swaps(JsonText& document, const std::vector<std::string>& swaps, const Catalog& catalog,
                                     Diagnostics& diagnostics);

/// Applies --set PATH=VALUE. The value is JSON where it is JSON, else a text. A path that begins with a stage means its
/// parameter, or what the framework keeps for a stage ("data.replicas"); others begin with run, vars or models.
void apply_sets(JsonText& document, const std::vector<std::string>& sets, Diagnostics& diagnostics);

}  // namespace dflash
