// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "framework/report/progress.h"
#include "framework/telemetry/live_view.h"

namespace dflash {

/// A run at one moment, as its live page and its metrics tell of it.
struct LiveRun {
  std::string graph;
  std::string phase;  // "starting" until the first firing, "running", "finishing" behind the last
  ProgressSample progress;
  LiveView view;
};

}  // namespace dflash
