// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "framework/analysis/sweep_result.h"
#include "framework/core/json.h"

namespace dflash {

/// A row for each variant, what rows mean, a line for each run that failed, the sentence.
std::string sweep_text(const SweepResult& result);

/// sweep.json's {variants, best, fastest, sentence}.
Json sweep_json(const SweepResult& result);

}  // namespace dflash
