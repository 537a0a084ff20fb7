// SPDX-License-Identifier: Apache-2.0
#include "framework/core/edge_rules.h"

#include <fmt/format.h>

namespace dflash {

std::optional<std::string> mistake_of(const Capacity& capacity, const EdgeRules& rules, const ItemTypeInfo& type) {
  if (capacity.items < 1) {
    return fmt::format("capacity in items is {}; at least 1", capacity.items);
  }
  if (capacity.bytes && *capacity.bytes < 1) {
    return fmt::format("capacity in bytes is {}; at least 1", *capacity.bytes);
  }
  if (capacity.bytes && type.bytes == nullptr) {
    return fmt::format("found a capacity in bytes, allowed: in items only; items of type '{}' do not say their bytes",
                       type.name);
  }
  if (rules.initial < 0 || rules.initial > capacity.items) {
    return fmt::format("found {} initial items, allowed: 0 to {}, the capacity", rules.initial, capacity.items);
  }
  if (rules.initial > 0 && !rules.feedback) {
    return fmt::format("found {} initial items, allowed: 0, since this is no feedback edge", rules.initial);
  }
  if (rules.initial > 0 && type.initial == nullptr) {
    return fmt::format("found {} initial items, allowed: 0; items of type '{}' have no initial value", rules.initial,
                       type.name);
  }
  return std::nullopt;
}

}  // namespace dflash
