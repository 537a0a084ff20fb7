// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "framework/core/stage.h"
#include "stages/generate/json_row.h"
#include "stages/session/drafter_evaluation.h"
#include "stages/session/models.h"

namespace dflash {

/// Measures the drafter of `models.drafter.path` on the held-out prompts of `run.evaluate`, all that the evaluation at
/// the end of a training measures, and gives the answers as rows. It fires once.
class EvaluateDrafter final : public Source<JsonRows> {
 public:
  static StageInfo info() {
    return {.type = "evaluate_drafter",
            .summary = "measures an exported or published drafter on held-out prompts",
            .uses_device = true};
  }
  EvaluateDrafter() : Source{"rows", "the answers, with what each round accepted"} {}

  void check(StageCheck& check) const override;
  void open(const StageEnv& env) override;
  std::optional<JsonRows> next(Firing& firing) override;
  void save(Snapshot& snapshot) const override;
  void load(const Snapshot& snapshot) override;

 private:
  DrafterEvaluation* evaluation_ = nullptr;
  bool done_ = false;
};

}  // namespace dflash
