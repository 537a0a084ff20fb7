// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "framework/report/progress.h"
#include "framework/telemetry/live_view.h"

namespace dflash {

/// A run at one moment, as its live page and its metrics tell of it.
struct LiveRun {
  std::string graph;
  std::string activity;  // what it does in place of firings; empty: nothing
  ProgressSample progress;
  LiveView view;
};

}  // namespace dflash
