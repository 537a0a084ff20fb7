// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "framework/core/diagnostics.h"
#include "framework/core/graph.h"
#include "framework/core/json_spot.h"

namespace dflash {

/// One end of an edge: "data.documents".
struct PortName {
  std::string stage;
  std::string port;
};

/// An edge as the file has it.
struct EdgeText {
  PortName from;
  PortName to;
  Capacity capacity;
  EdgeRules rules{};
};

/// Reads "a.out -> b.in" or {"from": "a.out", "to": "b.in", "capacity": 8 or {"items": 4, "bytes": "2GiB"}} with the
/// keys of EdgeParams. Adds what is wrong and returns nothing where an end cannot be told.
std::optional<EdgeText> read_edge(const JsonSpot& spot, Diagnostics& diagnostics);

/// "512MiB" to 536870912; units B, KiB, MiB, GiB, TiB. Nothing where it is no whole number of at least 1 with such a
/// unit, or more than 2^63 - 1.
std::optional<std::int64_t> parse_byte_size(std::string_view text);

}  // namespace dflash
