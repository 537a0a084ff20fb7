// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

namespace dflash {

/// Supervised rows of whole blocks, numbered from the first of them.
struct RowPlaces {
  at::Tensor blocks;  // [rows] int64, block of each row
  at::Tensor slots;   // [rows] int64, slot of each row
  std::int64_t first_block = 0;
  std::int64_t num_blocks = 0;
  std::int64_t block_size = 0;
};

/// Returns exp(-(slot - 1) / gamma) for each row, or ones where gamma is 0 (paper Eq. 4): [rows] of type `dtype`.
at::Tensor decay_weights(const RowPlaces& places, double gamma, at::ScalarType dtype);

/// Returns D-PACE's weights for each row: the sum over this and the later supervised slots of the block of the
/// products, up to each, of (1 - alpha) * q + alpha, where q is the probability of a slot's label (arXiv 2605.18810).
/// `nll` [rows] is detached.
at::Tensor dpace_weights(const RowPlaces& places, const at::Tensor& nll, double alpha);

/// Spreads one value a row into a table [blocks, block_size]; other places hold `fill`.
at::Tensor row_table(const RowPlaces& places, const at::Tensor& values, double fill);

}  // namespace dflash
