// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/token_choice.h"

#include <ATen/ATen.h>

#include "framework/core/error.h"

namespace dflash {

at::Tensor choose_tokens(const at::Tensor& logits, const SamplingOptions& choice,
                         const std::vector<std::int64_t>& prompts, const std::vector<std::int64_t>& positions) {
  DFLASH_CHECK(logits.dim() == 3 && logits.size(0) == static_cast<std::int64_t>(prompts.size()) &&
                   prompts.size() == positions.size(),
               "{} rows of logits, {} prompts, {} positions", logits.size(0), prompts.size(), positions.size());
  std::vector<TokenPlace> places;
  for (std::size_t row = 0; row < prompts.size(); ++row) {
    for (std::int64_t column = 0; column < logits.size(1); ++column) {
      places.push_back({.row_id = prompts[row], .position = positions[row] + column});
    }
  }
  return sample_tokens(logits.flatten(0, 1), places, choice).view({logits.size(0), logits.size(1)}).cpu();
}

}  // namespace dflash
