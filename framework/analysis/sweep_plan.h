// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "framework/core/diagnostics.h"

namespace dflash {

/// One way to run a graph: what --overlay, --swap and --set change in it.
struct SweepVariant {
  std::string name;  // a folder can have it
  std::vector<std::string> overlays;
  std::vector<std::string> swaps;
  std::vector<std::string> sets;

  friend bool operator==(const SweepVariant&, const SweepVariant&) = default;
};

/// What is tried in one respect.
using SweepAxis = std::vector<SweepVariant>;

/// A value of a path, which --set takes; or a type of a stage, a path without a dot, which --swap takes.
SweepVariant choice(const std::string& path, const std::string& value);

/// `--vary PATH=VALUE,VALUE,...` (--set for each value) or `--vary STAGE=TYPE,TYPE,...` (--swap). Commas within
/// brackets, braces and quotes belong to a value. Adds a mistake and returns nothing where it is neither.
SweepAxis parse_axis(const std::string& text, Diagnostics& diagnostics);

/// Every choice of each axis with every one of the others, the last axis fastest; or, zipped, the first choices of all,
/// the second ones, and so on. Names are made unique. Adds a mistake where there are too many or too few, or zipped
/// axes differ in length.
std::vector<SweepVariant> combine(const std::vector<SweepAxis>& axes, bool zip, Diagnostics& diagnostics);

/// The order of `count` variants in a round: a Williams design over variants that the seed has shuffled. Of as many
/// rounds as there are variants each has every place once, so what goes with a place, as heat or a cold start, is no
/// variant's; and none always follows the same one.
std::vector<std::size_t> round_order(std::size_t count, std::int64_t round, std::uint64_t seed);

}  // namespace dflash
