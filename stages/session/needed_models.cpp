// SPDX-License-Identifier: Apache-2.0
#include "stages/session/needed_models.h"

namespace dflash {

const Models* needed_target(StageCheck& check) {
  const auto* models = check.needs<Models>("models.target");
  if (models != nullptr && models->options().random_target) {
    check.add_at("/models/target/weights", "found \"random\", allowed: file; random weights can only be trained");
  }
  return models;
}

const Models* needed_drafter(StageCheck& check) {
  const Models* models = needed_target(check);
  if (models != nullptr && !models->has_drafter()) {
    check.add_missing("models.drafter");
    return nullptr;
  }
  return models;
}

void check_training_steps(StageCheck& check) {
  if (check.env().steps == 0) {
    check.add_at("/run/steps", "found 0, allowed: at least 1 where a stage trains");
  }
}

}  // namespace dflash
