// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "framework/core/item.h"
#include "framework/core/param.h"

namespace dflash {

/// The bound of an edge. Items always; bytes where given (the item type must say its bytes). An item larger than the
/// whole byte bound passes alone, when the edge is empty, and is counted as oversize.
struct Capacity {
  std::int64_t items = 4;
  std::optional<std::int64_t> bytes{};
};

/// What becomes of an item that has no room on its edge.
enum class WhenFull {
  kBlock,       // its stage waits for room
  kDropNewest,  // it is dropped, and counted
  kDropOldest,  // what waits longest inside is dropped, and counted, until there is room
  kFail,        // the run ends with an error
};

/// What is said about an edge besides its ends and its capacity.
struct EdgeRules {
  WhenFull when_full = WhenFull::kBlock;
  bool feedback = false;     // leads back to a stage before its own; it alone keeps no stage from ending
  std::int64_t initial = 0;  // items inside before the first firing; of feedback edges
};

/// The keys of an edge that stand for its rules.
struct EdgeParams final : ParamSet {
  Choice<WhenFull> when_full{*this,
                             "when_full",
                             WhenFull::kBlock,
                             {{"block", WhenFull::kBlock},
                              {"drop_newest", WhenFull::kDropNewest},
                              {"drop_oldest", WhenFull::kDropOldest},
                              {"fail", WhenFull::kFail}},
                             "what becomes of an item that has no room"};
  Param<bool> feedback{*this, "feedback", {.value = false, .help = "the edge leads back to a stage before its own"}};
  Param<std::int64_t> initial{
      *this, "initial", {.value = 0, .min = 0, .unit = "items", .help = "inside before the first firing"}};

  [[nodiscard]] EdgeRules rules() const {
    return {.when_full = when_full(), .feedback = feedback(), .initial = initial()};
  }
};

/// What is wrong with an edge of such items, or nothing.
[[nodiscard]] std::optional<std::string> mistake_of(const Capacity& capacity, const EdgeRules& rules,
                                                    const ItemTypeInfo& type);

}  // namespace dflash
