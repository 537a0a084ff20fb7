// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cli/sweep_session.h"
#include "framework/core/json.h"

namespace dflash {

/// What sweep.json says of a sweep beside its variants: {graph, overlay, set, swap, rounds, seed}.
Json sweep_settings(const Sweep& sweep);

/// Throws UserError that names the differences where the folder's sweep.json is of another sweep: with other settings
/// or variants, or of more rounds.
void require_same_sweep(const Sweep& sweep);

}  // namespace dflash
