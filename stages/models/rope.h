// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "stages/models/rope_scaling.h"

namespace dflash {

/// Rotation of each pair of a head's channels, by position. Never narrower than fp32: narrower angles go wrong with the
/// position.
struct RotaryTable {
  at::Tensor cos;  // [n, head_dim / 2]
  at::Tensor sin;  // [n, head_dim / 2]
};

/// Returns the rotations of `positions` ([n], integer), on their device: pair i turns by position * theta^(-2i /
/// head_dim), or as `scaling` says. `type` is fp32 or fp64; fp32 is computed as the `transformers` package does it.
RotaryTable rotary_table(const at::Tensor& positions, std::int64_t head_dim, double theta,
                         at::ScalarType type = at::kFloat, const RopeScaling& scaling = {});

/// Turns `x` ([n, heads, head_dim]) in half-split form: channels i and i + head_dim / 2 are a pair. Keeps the type of
/// `x`. Differentiable once, in `x`.
at::Tensor apply_rotary(const at::Tensor& x, const RotaryTable& table);

}  // namespace dflash
