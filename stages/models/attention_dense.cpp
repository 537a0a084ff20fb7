// SPDX-License-Identifier: Apache-2.0
#include "stages/models/attention_dense.h"

#include <ATen/ATen.h>

namespace dflash {

at::Tensor attention_dense(const AttentionInput& input, const at::Tensor& mask) {
  const auto heads_first = [](const at::Tensor& rows) { return rows.transpose(0, 1).unsqueeze(0); };
  const at::Tensor query = heads_first(input.query);
  const at::Tensor key = heads_first(at::cat({input.context_key, input.block_key}));
  const at::Tensor value = heads_first(at::cat({input.context_value, input.block_value}));
  const at::Tensor out = at::scaled_dot_product_attention(query, key, value, mask, /*dropout_p=*/0.0,
                                                          /*is_causal=*/false, /*scale=*/std::nullopt,
                                                          /*enable_gqa=*/true);
  return out.squeeze(0).transpose(0, 1).flatten(1);
}

}  // namespace dflash
