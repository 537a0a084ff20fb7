// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "stages/models/drafter_config.h"
#include "stages/models/drafter_weights.h"

namespace dflash {

/// Returns the parameters by checkpoint name in the order of `for_each_parameter`, converted to `type`: what a
/// checkpoint or an export stores.
std::vector<std::pair<std::string, at::Tensor>> drafter_tensors(const DrafterWeights& weights, at::ScalarType type);

/// Builds weights from tensors by checkpoint name; the result shares their storage. Missing, unknown (with the nearest
/// name) and misshapen tensors are refused in one UserError that opens with `place`: serving code takes such files in
/// silence.
DrafterWeights drafter_from_tensors(const DrafterConfig& config, const std::map<std::string, at::Tensor>& tensors,
                                    const std::string& place);

}  // namespace dflash
