// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/token_choice.h"

#include <ATen/ATen.h>

#include "framework/core/counter_random.h"
#include "framework/core/error.h"

namespace dflash {
namespace {

at::Tensor uniforms(std::int64_t length, std::uint64_t seed, const std::vector<std::int64_t>& prompts,
                    const std::vector<std::int64_t>& positions) {
  const auto rows = static_cast<std::int64_t>(prompts.size());
  at::Tensor drawn = at::empty({rows, length, 1}, at::kDouble);
  auto* out = drawn.data_ptr<double>();
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < length; ++column) {
      const auto at = static_cast<std::size_t>(row);
      *out++ = counter_uniform(
          seed, {static_cast<std::uint64_t>(prompts[at]), static_cast<std::uint64_t>(positions[at] + column)});
    }
  }
  return drawn;
}

}  // namespace

at::Tensor choose_tokens(const at::Tensor& logits, const TokenChoice& choice, const std::vector<std::int64_t>& prompts,
                         const std::vector<std::int64_t>& positions) {
  DFLASH_CHECK(logits.dim() == 3 && logits.size(0) == static_cast<std::int64_t>(prompts.size()) &&
                   prompts.size() == positions.size(),
               "{} rows of logits, {} prompts, {} positions", logits.size(0), prompts.size(), positions.size());
  if (choice.temperature == 0.0) {
    return logits.argmax(-1).cpu();
  }
  const at::Tensor cumulated = at::softmax(logits.to(at::kDouble) / choice.temperature, -1).cumsum(-1);
  const at::Tensor drawn = uniforms(logits.size(1), choice.seed, prompts, positions).to(logits.device());
  const at::Tensor reached = drawn * cumulated.slice(-1, -1);
  return at::searchsorted(cumulated.contiguous(), reached.contiguous(), false, true)
      .squeeze(-1)
      .clamp_max(logits.size(2) - 1)
      .cpu();
}

}  // namespace dflash
