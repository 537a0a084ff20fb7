// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "framework/core/param.h"
#include "stages/models/adamw.h"
#include "stages/models/schedule.h"

namespace dflash {

/// The optimiser's parameters, shared by the stages that train.
struct OptimizerParams {
  explicit OptimizerParams(ParamSet& owner)
      : lr{owner, "lr", {.value = 6e-4, .min = 0.0, .help = "peak learning rate of AdamW"}},
        min_lr{owner, "min_lr", {.value = 0.0, .min = 0.0, .help = "learning rate at the end of cosine and wsd"}},
        warmup_ratio{
            owner,
            "warmup_ratio",
            {.value = 0.04, .min = 0.0, .max = 1.0, .help = "share of the steps in which the learning rate rises"}},
        schedule{owner,
                 "schedule",
                 ScheduleType::kCosine,
                 {{"cosine", ScheduleType::kCosine}, {"linear", ScheduleType::kLinear}, {"wsd", ScheduleType::kWsd}},
                 "what the learning rate does after the warm-up"},
        decay_ratio{owner,
                    "decay_ratio",
                    {.value = 0.2, .min = 0.0, .max = 1.0, .help = "share of the steps in which wsd falls"}},
        clip{owner,
             "clip",
             {.value = 1.0, .min = 0.0, .help = "largest global L2 norm of the gradient; 0: not clipped"}},
        weight_decay{owner, "weight_decay", {.value = 0.0, .min = 0.0, .help = "decoupled weight decay"}},
        fused{owner, "fused", {.value = true, .help = "one multi-tensor kernel for AdamW instead of several"}} {}

  [[nodiscard]] AdamWOptions adamw_options() const {
    return {.weight_decay = weight_decay(), .max_norm = clip(), .fused = fused()};
  }
  /// The learning rate of step `step` (0-based) of `steps`.
  [[nodiscard]] double learning_rate_at(std::int64_t step, std::int64_t steps) const {
    return learning_rate({.type = schedule(),
                          .lr = lr(),
                          .lr_min = min_lr(),
                          .warmup_ratio = warmup_ratio(),
                          .decay_ratio = decay_ratio(),
                          .steps = steps},
                         step);
  }

  Param<double> lr;
  Param<double> min_lr;
  Param<double> warmup_ratio;
  Choice<ScheduleType> schedule;
  Param<double> decay_ratio;
  Param<double> clip;
  Param<double> weight_decay;
  Param<bool> fused;
};

}  // namespace dflash
