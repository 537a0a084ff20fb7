// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/heldout_loss.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "framework/core/error.h"
#include "stages/models/target.h"

namespace dflash {
namespace {

/// Documents laid end to end, and which rows predict the row behind them.
struct Pack {
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> positions;
  std::vector<std::int64_t> starts{0};
  std::vector<std::int64_t> predicting;

  void add(const std::vector<std::int64_t>& document) {
    const auto length = static_cast<std::int64_t>(document.size());
    for (std::int64_t position = 0; position < length; ++position) {
      if (position + 1 < length) {
        predicting.push_back(static_cast<std::int64_t>(ids.size()));
      }
      ids.push_back(document[static_cast<std::size_t>(position)]);
      positions.push_back(position);
    }
    starts.push_back(static_cast<std::int64_t>(ids.size()));
  }
};

/// Sum of the negative log-likelihoods of a pack's predicted tokens.
double summed_loss(const TargetWeights& weights, const TargetConfig& config, const Pack& pack) {
  const auto tensor = [&](const std::vector<std::int64_t>& values) {
    return at::tensor(values, at::kLong).to(weights.embedding.device());
  };
  const PackedTokens tokens{
      .ids = tensor(pack.ids), .positions = tensor(pack.positions), .document_starts = pack.starts};
  const at::Tensor hidden = target_forward(weights, config, tokens, {.tap_ids = {}, .to_final_norm = true}).hidden;
  const at::Tensor rows = tensor(pack.predicting);
  const at::Tensor logits = target_logits(weights, hidden.index_select(0, rows)).to(at::kFloat);
  const at::Tensor labels = tokens.ids.index_select(0, rows + 1);
  return at::cross_entropy_loss(logits, labels, {}, at::Reduction::Sum).item<double>();
}

}  // namespace

HeldoutLoss heldout_loss(const TargetWeights& weights, const TargetConfig& config,
                         const std::vector<std::vector<std::int64_t>>& documents, std::int64_t pack_length,
                         const std::function<void()>& before_pack) {
  const at::NoGradGuard no_grad;
  HeldoutLoss loss;
  double sum = 0.0;
  Pack pack;
  const auto flush = [&] {
    if (!pack.predicting.empty()) {
      before_pack();
      sum += summed_loss(weights, config, pack);
      loss.tokens += static_cast<std::int64_t>(pack.predicting.size());
    }
    pack = {};
  };
  for (const std::vector<std::int64_t>& document : documents) {
    const auto length = static_cast<std::int64_t>(document.size());
    DFLASH_USER_CHECK(length <= pack_length, "a held-out document has {} tokens, allowed: at most {}", length,
                      pack_length);
    if (static_cast<std::int64_t>(pack.ids.size()) + length > pack_length) {
      flush();
    }
    if (length > 0) {
      pack.add(document);
    }
  }
  flush();
  loss.nats_per_token = loss.tokens == 0 ? 0.0 : sum / static_cast<double>(loss.tokens);
  return loss;
}

}  // namespace dflash
