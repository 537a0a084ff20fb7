// SPDX-License-Identifier: Apache-2.0
#include "stages/session/models.h"

#include <ATen/ATen.h>

#include "framework/core/error.h"
#include "stages/export/drafter_folder.h"

namespace dflash {

Models::Models(Options options, TargetConfig target_config, std::optional<DrafterConfig> drafter_config)
    : options_{std::move(options)},
      target_config_{std::move(target_config)},
      drafter_config_{std::move(drafter_config)} {}

std::shared_ptr<const TargetWeights> Models::target_weights() {
  if (!target_weights_) {
    DFLASH_USER_CHECK(!options_.random_target,
                      "models.target.weights: a target with random weights can only be trained");
    target_weights_ = std::make_shared<const TargetWeights>(
        load_target(options_.target_path, target_config_, options_.compute_type, options_.device));
  }
  return target_weights_;
}

TargetWeights Models::trainable_target() {
  if (options_.random_target) {
    return init_target(target_config_, options_.seed, options_.device);
  }
  return load_target(options_.target_path, target_config_, c10::ScalarType::Float, options_.device);
}

const DrafterConfig& Models::drafter_config() const {
  DFLASH_USER_CHECK(drafter_config_.has_value(), "the graph has no section models.drafter, which this stage needs");
  return *drafter_config_;
}

DrafterWeights Models::initial_drafter(std::uint64_t seed) const {
  if (options_.drafter_folder.empty()) {
    return init_drafter(drafter_config(), seed);
  }
  // Copies: what is trained must not live in a file that may change.
  return map_parameters(read_drafter_weights(drafter_config(), weights_file_in(options_.drafter_folder), at::kFloat),
                        [](const at::Tensor& value) { return value.clone(); });
}

}  // namespace dflash
