// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "stages/evaluate/batch_models.h"
#include "stages/models/draft_cache.h"
#include "stages/models/drafter_config.h"
#include "stages/models/drafter_weights.h"

namespace dflash {

/// A drafter's network with its cache. Borrows configuration and weights, which must outlive it.
class NetworkDrafter final : public BatchDrafter {
 public:
  /// `embedding` and `head` are the target's, [vocabulary, hidden].
  NetworkDrafter(const DrafterConfig& config, const DrafterWeights& weights, at::Tensor embedding, at::Tensor head);

  void absorb(const at::Tensor& features, const std::vector<std::int64_t>& counts) override;
  at::Tensor draft(const std::vector<std::int64_t>& anchors, const std::vector<std::int64_t>& sizes) override;
  void keep(const std::vector<std::int64_t>& rows) override;

 private:
  at::Tensor embedding_;
  at::Tensor head_;
  DrafterModel model_;
  DraftCache cache_;
};

}  // namespace dflash
