// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>

#include "framework/core/item.h"
#include "stages/batch/token_pack.h"
#include "stages/models/nan_like.h"

namespace dflash {

/// A pack and the residual stream of the target after each tapped layer, ascending by layer id.
struct Taps {
  TokenPack pack;
  std::vector<at::Tensor> layers;  // K x [S, hidden]
  at::Tensor final_hidden;         // [S, hidden] after the target's final norm; undefined unless asked for
};

template <>
struct ItemType<Taps> {
  static constexpr std::string_view kName = "taps";
  static std::int64_t bytes(const Taps& taps) {
    std::int64_t sum = ItemType<TokenPack>::bytes(taps.pack);
    for (const at::Tensor& layer : taps.layers) {
      sum += static_cast<std::int64_t>(layer.nbytes());
    }
    return sum + (taps.final_hidden.defined() ? static_cast<std::int64_t>(taps.final_hidden.nbytes()) : 0);
  }
  static Taps poisoned(const Taps& taps) {
    Taps made = taps;
    made.layers.front() = nan_like(taps.layers.front());
    return made;
  }
  static std::string serialize(const Taps& taps);
  static Taps deserialize(std::string_view bytes, const std::string& device);
};

}  // namespace dflash
