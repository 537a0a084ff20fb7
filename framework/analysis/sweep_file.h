// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "framework/analysis/sweep_plan.h"
#include "framework/core/diagnostics.h"
#include "framework/core/json_text.h"

namespace dflash {

/// What a sweep file says.
struct SweepFile {
  std::vector<SweepAxis> axes;
  bool zip = false;
};

/// {"schema": "dflash-sweep/1", "variants": {"NAME": {"set": {PATH: VALUE}, "swap": {STAGE: TYPE}, "overlay": [FILE]}},
/// "vary": {PATH: [VALUE, ...]}, "zip": false}. Adds every mistake.
SweepFile read_sweep(const JsonText& text, Diagnostics& diagnostics);

}  // namespace dflash
