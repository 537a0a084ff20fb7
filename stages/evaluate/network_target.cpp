// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/network_target.h"

#include <utility>

#include <ATen/ATen.h>

#include "stages/models/target_decode.h"

namespace dflash {

NetworkTarget::NetworkTarget(const TargetConfig& config, const TargetWeights& weights,
                             std::vector<std::int64_t> tap_ids, std::int64_t room)
    : config_{config}, weights_{weights}, tap_ids_{std::move(tap_ids)}, room_{room} {}

TargetReadout NetworkTarget::run(const at::Tensor& tokens, const std::vector<std::int64_t>& counts,
                                 bool last_logits_only) {
  const DecodeOutput output = target_decode(weights_, config_, cache_, tokens, counts,
                                            {.tap_ids = tap_ids_, .last_logits_only = last_logits_only});
  return {.logits = output.logits, .features = output.taps.empty() ? at::Tensor{} : at::cat(output.taps, -1)};
}

TargetReadout NetworkTarget::prefill(const std::vector<std::vector<std::int64_t>>& prompts) {
  const RaggedTokens padded = pad_prompts(prompts, weights_.embedding.device());
  cache_ = make_target_cache(config_, padded.ids.size(0), padded.ids.size(1) + room_,
                             weights_.embedding.options().requires_grad(false));
  return run(padded.ids, padded.counts, true);
}

TargetReadout NetworkTarget::extend(const at::Tensor& tokens) {
  const std::vector<std::int64_t> counts(static_cast<std::size_t>(tokens.size(0)), tokens.size(1));
  return run(tokens.to(weights_.embedding.device()), counts, false);
}

void NetworkTarget::crop(const std::vector<std::int64_t>& lengths) { dflash::crop(cache_, lengths); }

void NetworkTarget::keep(const std::vector<std::int64_t>& rows) { dflash::keep(cache_, rows); }

}  // namespace dflash
