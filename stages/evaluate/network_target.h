// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "stages/evaluate/batch_models.h"
#include "stages/models/target_cache.h"
#include "stages/models/target_config.h"
#include "stages/models/target_weights.h"

namespace dflash {

/// A target's network with its cache. Borrows configuration and weights, which must outlive it.
class NetworkTarget final : public BatchTarget {
 public:
  /// `tap_ids`: the layers whose outputs are the features, ascending; none: no features. `room`: how many tokens may
  /// follow the longest prompt of a batch.
  NetworkTarget(const TargetConfig& config, const TargetWeights& weights, std::vector<std::int64_t> tap_ids,
                std::int64_t room);

  TargetReadout prefill(const std::vector<std::vector<std::int64_t>>& prompts) override;
  TargetReadout extend(const at::Tensor& tokens) override;
  void crop(const std::vector<std::int64_t>& lengths) override;
  void keep(const std::vector<std::int64_t>& rows) override;

 private:
  TargetReadout run(const at::Tensor& tokens, const std::vector<std::int64_t>& counts, bool last_logits_only);

  const TargetConfig& config_;
  const TargetWeights& weights_;
  std::vector<std::int64_t> tap_ids_;
  std::int64_t room_;
  TargetCache cache_;
};

}  // namespace dflash
