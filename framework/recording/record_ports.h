// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/core/graph.h"

namespace dflash {

/// What --record asks for.
struct RecordRequest {
  std::vector<std::string> ports;  // "target.taps", or an edge that begins there, as the report names it
  std::int64_t most_items = 0;     // of each; 0: all
};

/// Adds a recorder to each of these ports. Returns their names, each once. Throws UserError for a port that the graph
/// has not, with the nearest name, and for a type that cannot be recorded.
std::vector<std::string> record_ports(Graph& graph, const RecordRequest& request);

}  // namespace dflash
