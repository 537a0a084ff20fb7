// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "framework/report/progress.h"
#include "framework/telemetry/live_view.h"
#include "framework/telemetry/run_record.h"

namespace dflash {

/// How a run ended, and where to read of it.
struct LiveEnd {
  Outcome outcome;
  std::string verdict;
  std::string run_dir;
};

/// A run at one moment, as its live page and its metrics tell of it.
struct LiveRun {
  std::string graph;
  std::string activity;  // what it does in place of firings; empty: nothing
  ProgressSample progress;
  LiveView view;
  std::optional<LiveEnd> end{};  // nothing while it goes on
};

}  // namespace dflash
