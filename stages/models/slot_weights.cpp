// SPDX-License-Identifier: Apache-2.0
#include "stages/models/slot_weights.h"

#include <ATen/ATen.h>

namespace dflash {
namespace {

at::Tensor table_index(const RowPlaces& places) {
  return (places.blocks - places.first_block) * places.block_size + places.slots;
}

}  // namespace

at::Tensor decay_weights(const RowPlaces& places, double gamma, at::ScalarType dtype) {
  const auto options = places.slots.options().dtype(dtype);
  if (gamma == 0) {
    return at::ones(places.slots.sizes(), options);
  }
  return at::exp((places.slots.to(dtype) - 1).mul_(-1.0 / gamma));
}

at::Tensor row_table(const RowPlaces& places, const at::Tensor& values, double fill) {
  at::Tensor table = at::full({places.num_blocks * places.block_size}, fill, values.options());
  table.index_copy_(0, table_index(places), values);
  return table.view({places.num_blocks, places.block_size});
}

at::Tensor dpace_weights(const RowPlaces& places, const at::Tensor& nll, double alpha) {
  const at::Tensor factors = at::exp(-nll.detach()).mul_(1 - alpha).add_(alpha);
  const at::Tensor products = row_table(places, factors, 1.0).cumprod(1);
  const at::Tensor counted = products * row_table(places, at::ones_like(factors), 0.0);
  const at::Tensor remaining = counted.flip(1).cumsum(1).flip(1);
  return remaining.flatten().index_select(0, table_index(places));
}

}  // namespace dflash
