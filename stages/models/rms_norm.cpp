// SPDX-License-Identifier: Apache-2.0
#include "stages/models/rms_norm.h"

#include <ATen/ATen.h>

namespace dflash {

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps) {
  const at::Tensor wide = x.scalar_type() == at::kDouble ? x : x.to(at::kFloat);
  return (wide * at::rsqrt(wide.square().mean(-1, true) + eps)).to(x.scalar_type()) * weight;
}

}  // namespace dflash
