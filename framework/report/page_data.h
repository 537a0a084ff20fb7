// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "framework/core/json.h"
#include "framework/telemetry/timeline.h"

namespace dflash {

/// What the page shows, as its scripts read it: `report` itself and, where there is something of it,
///   graph    stages by column and row, edges by the indices of their ends
///   time     states of the stages and fill of edges and buffers over at most some hundred bins
///   latency  histograms of the firings
///   steps    where the time of the steps went
///   metrics  the figures of metrics.jsonl over the steps
///   devices  memory and counts over time
/// Times in seconds. However long the run was, this stays below a megabyte or so. Throws UserError where `report` is
/// no report.
Json page_data(const Json& report, const Timeline& timeline, const std::vector<Json>& metrics);

}  // namespace dflash
