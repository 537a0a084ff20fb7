// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "framework/core/json.h"
#include "framework/telemetry/timeline.h"

namespace dflash {

/// What a run has left in its directory.
struct RunRecords {
  std::string name;  // the directory, as the user wrote it
  Json report = Json::object();
  Json graph = Json::object();  // resolved
  std::vector<Json> metrics;    // lines of metrics.jsonl
  Timeline timeline;
};

}  // namespace dflash
