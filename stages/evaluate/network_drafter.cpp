// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/network_drafter.h"

#include <utility>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace dflash {

NetworkDrafter::NetworkDrafter(const DrafterConfig& config, const DrafterWeights& weights, at::Tensor embedding,
                               at::Tensor head)
    : embedding_{std::move(embedding)}, head_{std::move(head)}, model_{config, weights, embedding_} {}

void NetworkDrafter::absorb(const at::Tensor& features, const std::vector<std::int64_t>& counts) {
  if (cache_.keys.empty()) {
    cache_ = make_draft_cache(model_, features.size(0), 2 * features.size(1));
  }
  absorb_features(model_, cache_, features.to(model_.weights.fc.scalar_type()), counts);
}

at::Tensor NetworkDrafter::draft(const std::vector<std::int64_t>& anchors, const std::vector<std::int64_t>& sizes) {
  const at::NoGradGuard no_grad;
  const at::Tensor hidden = draft_blocks(model_, cache_, anchors, sizes);
  return at::linear(hidden.slice(1, 1), head_.to(hidden.scalar_type())).argmax(-1);
}

void NetworkDrafter::keep(const std::vector<std::int64_t>& rows) { keep_rows(cache_, rows); }

}  // namespace dflash
