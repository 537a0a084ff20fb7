// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "stages/models/block_layout.h"
#include "stages/models/drafter.h"

namespace dflash {

/// The tiny double-precision problem of the golden numbers: two documents of 11 and 7 tokens and 2 of padding, blocks
/// of 4.
struct GoldenProblem {
  DrafterConfig config;
  DrafterWeights weights;  // leaves that require gradients
  at::Tensor embedding;    // [40, 16]
  at::Tensor head;         // [40, 16]
  Features features;       // base only
  std::vector<std::int64_t> ids;
  std::vector<std::uint8_t> loss_mask;
  std::vector<PackDocument> documents;
  std::vector<std::int64_t> anchors{4, 6, 9, 14, 15};

  PackTokens tokens() const;
  BlockLayout layout(std::int64_t slots = 5) const;
};

enum class GoldenLayout { kFull, kSlidingCausal, kSlidingBidirectional };

/// Uniform numbers in [low, high) of splitmix64 from `seed`, double.
at::Tensor golden_uniform(std::uint64_t seed, const std::vector<std::int64_t>& shape, double low, double high);

GoldenProblem golden_problem(GoldenLayout layout = GoldenLayout::kFull, at::ScalarType dtype = at::kDouble);

/// Gradients of all parameters, flattened into one double vector in the order of `for_each_parameter`.
at::Tensor flat_gradients(const DrafterWeights& weights);

/// Forgets all gradients.
void zero_gradients(DrafterWeights& weights);

/// The tensor's numbers as doubles.
std::vector<double> numbers(const at::Tensor& tensor);

}  // namespace dflash
