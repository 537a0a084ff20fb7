// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "framework/core/graph_mistakes.h"
#include "stages/models/drafter_config.h"
#include "stages/session/model_sections.h"

namespace dflash {

/// Where a stored drafter is another than the one that a graph describes, key by key: "block_size: found 16, but the
/// graph has 8". Keys that say nothing of what the weights compute are not compared.
std::vector<std::string> differences(const DrafterConfig& stored, const DrafterConfig& graph);

/// Checks that the folder which the section starts from (where it names one) holds a drafter of this configuration,
/// with all its tensors. Adds every fault at the parameter that names the folder.
void check_start_weights(const DrafterSection& section, const DrafterConfig& config, GraphMistakes& mistakes);

}  // namespace dflash
