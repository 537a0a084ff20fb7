// SPDX-License-Identifier: Apache-2.0
#include "stages/models/rope.h"

#include <ATen/ATen.h>

#include "framework/core/error.h"

namespace dflash {

RotaryTable rotary_table(const at::Tensor& positions, std::int64_t head_dim, double theta, at::ScalarType type) {
  DFLASH_CHECK(type == at::kFloat || type == at::kDouble, "rotations in {}", at::toString(type));
  DFLASH_CHECK(head_dim > 0 && head_dim % 2 == 0, "head_dim {}", head_dim);
  const auto options = positions.options().dtype(type);
  const at::Tensor exponent = at::arange(0, head_dim, 2, options) / static_cast<double>(head_dim);
  const at::Tensor frequency = at::pow(theta, exponent).reciprocal();
  const at::Tensor angle = positions.to(type).unsqueeze(1) * frequency;
  return {.cos = angle.cos(), .sin = angle.sin()};
}

at::Tensor apply_rotary(const at::Tensor& x, const RotaryTable& table) {
  const std::int64_t half = x.size(-1) / 2;
  const at::Tensor low = x.narrow(-1, 0, half);
  const at::Tensor high = x.narrow(-1, half, half);
  const at::Tensor cos = table.cos.unsqueeze(1);
  const at::Tensor sin = table.sin.unsqueeze(1);
  return at::cat({low * cos - high * sin, high * cos + low * sin}, -1).to(x.scalar_type());
}

}  // namespace dflash
