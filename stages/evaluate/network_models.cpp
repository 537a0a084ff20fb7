// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/network_models.h"

#include <memory>

#include "stages/evaluate/network_drafter.h"
#include "stages/evaluate/network_target.h"

namespace dflash {

DecodeModels network_models(const TargetConfig& target_config, const TargetWeights& target,
                            const DrafterConfig& drafter_config, const DrafterWeights& drafter,
                            std::int64_t new_tokens) {
  const std::int64_t room = new_tokens + drafter_config.block_size;
  return {.target =
              [&, room](bool taps) {
                return std::make_unique<NetworkTarget>(
                    target_config, target, taps ? drafter_config.target_layer_ids : std::vector<std::int64_t>{}, room);
              },
          .drafter =
              [&] {
                return std::make_unique<NetworkDrafter>(drafter_config, drafter, target.embedding, output_head(target));
              }};
}

}  // namespace dflash
