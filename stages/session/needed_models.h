// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/core/stage_check.h"
#include "stages/session/models.h"

namespace dflash {

// What the checks of several stages ask of the run. Each adds what is missing; null where the rest of a check that
// needs it can say nothing.

/// A target with the weights of its folder.
const Models* needed_target(StageCheck& check);

/// Such a target and the configuration of a drafter.
const Models* needed_drafter(StageCheck& check);

/// A number of steps to train for.
void check_training_steps(StageCheck& check);

}  // namespace dflash
