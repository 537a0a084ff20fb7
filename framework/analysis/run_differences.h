// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "framework/analysis/run_records.h"

namespace dflash {

/// In what two resolved graphs differ, as `--set` calls it: "drafter.fc (\"concat\" in A, \"split\" in B)". Edges go by
/// their names, so that each that differs is named.
std::vector<std::string> graph_differences(const Json& a, const Json& b);

/// In what runs of two sides differ beside their times, a sentence each: the graph (of each side's first; each key with
/// both values); hardware, versions, device and resumption of each run against A's first; every ending that was not a
/// good one.
std::vector<std::string> run_differences(const std::vector<RunRecords>& a, const std::vector<RunRecords>& b);

}  // namespace dflash
