// SPDX-License-Identifier: Apache-2.0
#include "stages/models/sample_tokens.h"

#include <ATen/ATen.h>

#include "framework/core/counter_random.h"
#include "framework/core/error.h"

namespace dflash {

at::Tensor sample_tokens(const at::Tensor& logits, const std::vector<TokenPlace>& places,
                         const SamplingOptions& options) {
  DFLASH_CHECK(logits.dim() == 2 && logits.size(0) == static_cast<std::int64_t>(places.size()), "{} places",
               places.size());
  if (options.temperature == 0.0) {
    return logits.argmax(-1);
  }
  std::vector<double> drawn;
  drawn.reserve(places.size());
  for (const TokenPlace& place : places) {
    drawn.push_back(counter_uniform(
        options.seed, {static_cast<std::uint64_t>(place.row_id), static_cast<std::uint64_t>(place.position)}));
  }
  // In fp64: the sum of many small fp32 probabilities is off by more than the smallest of them.
  const at::Tensor chances = at::softmax(logits.to(at::kDouble) / options.temperature, -1).cumsum(-1);
  const at::Tensor uniform = at::tensor(drawn, at::kDouble).to(logits.device(), /*non_blocking=*/true).unsqueeze(1);
  const at::Tensor level = uniform * chances.narrow(-1, chances.size(-1) - 1, 1);
  return at::searchsorted(chances, level, /*out_int32=*/false, /*right=*/true).squeeze(1).clamp_max(logits.size(1) - 1);
}

}  // namespace dflash
