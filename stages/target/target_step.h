// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "framework/core/stage.h"
#include "stages/batch/token_pack.h"
#include "stages/drafter/optimizer_params.h"
#include "stages/models/adamw.h"
#include "stages/postprocess/phase_clock.h"
#include "stages/postprocess/step_metrics.h"
#include "stages/session/models.h"

namespace dflash {

/// Trains the target itself: next-token cross-entropy over the supervised tokens of a pack, one optimiser step a pack.
/// Only for `pretrain_target.json`; a drafter is trained against a frozen target.
class TargetStep final : public Stage {
 public:
  static StageInfo info() {
    return {.type = "target_step",
            .summary = "pre-trains the target: one optimiser step a pack",
            .uses_device = true,
            .drives_steps = true};
  }

  Input<TokenPack> packs{*this, "packs", "packs of whole documents"};
  Output<StepMetrics> metrics{*this, "metrics", "the scalars of each optimiser step"};
  OptimizerParams optimizer{*this};

  void check(StageCheck& check) const override;
  void open(const StageEnv& env) override;
  void fire(Firing& firing) override;
  void save(Snapshot& snapshot) const override;
  void load(const Snapshot& snapshot) override;

 private:
  std::string name_;
  Models* models_ = nullptr;
  std::shared_ptr<TargetWeights> weights_;  // leaves of autograd
  std::unique_ptr<AdamW> adamw_;
  std::int64_t total_steps_ = 0;
  std::int64_t step_ = 0;
};

}  // namespace dflash
