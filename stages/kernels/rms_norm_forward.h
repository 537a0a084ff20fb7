// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

namespace dflash {

/// Returns cast(x / sqrt(mean(x^2) + eps)) * weight over the last dimension in one pass over memory, on the device of
/// `x` and there on the current stream. `x` and `weight` are both fp32 or both bf16. Keeps no graph: for training use
/// `rms_norm`.
at::Tensor rms_norm_forward(const at::Tensor& x, const at::Tensor& weight, double eps);

}  // namespace dflash
