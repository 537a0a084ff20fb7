// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "stages/postprocess/step_metrics.h"

namespace dflash {

/// A training whose numbers are no longer finite ends: what follows would be NaN, and NaN must not be saved. All throw
/// StageError in the name of the stage that trains, with the step, the first tensor that is not finite, and what to
/// try.

/// Looks at what a step measured, once that has been read: `values` are those of `step`.
void check_finite(const StepMetrics& step, const std::vector<float>& values);

/// Looks at an optimiser's state as AdamW names it, parameters first; reads the device once. For checkpoints, not for
/// steps.
void check_finite(const std::string& stage, std::int64_t step, const std::map<std::string, at::Tensor>& state);

}  // namespace dflash
