// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace dflash {

/// The target's hidden states of a pack, one tensor per tapped layer in ascending order of layers. Where they are
/// columns of one contiguous tensor, `base` is that tensor; `taps` may then be empty.
struct Features {
  std::vector<at::Tensor> taps;  // taps x [length, hidden]
  at::Tensor base;               // [length, taps * hidden], may be undefined
};

/// How the tapped layers are joined. Equal mathematics.
enum class FeatureFusion {
  kConcat,  // one product with the concatenated features
  kSplit,   // a sum of one product per layer; never makes the concatenation
};

/// Returns the features times fc.weight transposed, [length, hidden], differentiable in `weight` ([hidden, taps *
/// hidden]). Adds to `copied_bytes`, if given, what was copied to bring the features into the form that `fusion` needs.
at::Tensor fuse_features(const Features& features, const at::Tensor& weight, FeatureFusion fusion,
                         std::int64_t* copied_bytes = nullptr);

}  // namespace dflash
