// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "framework/analysis/run_records.h"

namespace dflash {

/// In what two resolved graphs differ, as `--set` calls it: "drafter.fc (\"concat\" in A, \"split\" in B)". Edges go by
/// their names, so that each that differs is named.
std::vector<std::string> graph_differences(const Json& a, const Json& b);

/// In what two runs differ beside their times, a sentence each: hardware, device, precision, seed, versions, the graph
/// (each key with both values), an ending that was not a good one.
std::vector<std::string> run_differences(const RunRecords& a, const RunRecords& b);

}  // namespace dflash
