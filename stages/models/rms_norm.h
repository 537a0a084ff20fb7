// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

namespace dflash {

/// Returns x / sqrt(mean(x^2) + eps) * weight over the last dimension. The statistics are fp32 (fp64 for fp64 input);
/// the quotient is cast back to the type of `x` before the weight is applied, as in Qwen3. Differentiable once, in `x`
/// and `weight`.
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps);

}  // namespace dflash
