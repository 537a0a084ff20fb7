// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "framework/report/path_latency.h"

namespace dflash {

/// The part of report.txt on the ways of items through the graph; empty where none is known.
std::string paths_part(const std::vector<PathLatency>& paths);

}  // namespace dflash
