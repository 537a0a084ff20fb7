// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace dflash {

/// The closed sets of keys of a graph file.
inline const std::vector<std::string> kGraphKeys{"schema", "name", "vars", "models", "lanes", "stages", "edges", "run"};
inline const std::vector<std::string> kStageKeys{"type",    "params", "replicas", "device",
                                                 "devices", "lane",   "inject",   "on_error"};
/// Those of a stage's keys that this version knows, but cannot do.
inline const std::vector<std::string> kPlannedStageKeys{"devices"};
inline const std::vector<std::string> kEdgeKeys{"from", "to", "capacity", "when_full", "feedback", "initial"};
inline const std::vector<std::string> kCapacityKeys{"items", "bytes"};

/// Names that no stage may have, because they begin a path of --set.
inline const std::vector<std::string> kReservedNames{"run", "vars", "models"};

inline constexpr const char* kGraphSchema = "dflash-graph/1";

}  // namespace dflash
