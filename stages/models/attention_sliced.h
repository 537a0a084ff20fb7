// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "stages/models/attention_dense.h"
#include "stages/models/attention_mask.h"

namespace dflash {

/// Attends slice by slice: a slice's blocks see only the context keys of `slices` and their own rows, so keys that no
/// row sees cost nothing. Equal to `attention_dense` with the same visibility. One autograd function over all slices;
/// it keeps the probabilities for the backward pass unless they are large, and then computes them again. Returns [rows,
/// heads * head_dim].
at::Tensor attention_sliced(const AttentionInput& input, const std::vector<BlockSlice>& slices,
                            std::int64_t block_size);

}  // namespace dflash
