// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "framework/core/item.h"
#include "stages/batch/token_pack.h"
#include "stages/models/feature_fusion.h"

namespace dflash {

/// A pack and the target's features of each of its tokens.
struct FeaturePack {
  TokenPack pack;
  Features features;
  at::Tensor final_hidden;  // [S, hidden] after the target's final norm; undefined unless the target gave it
};

/// Memory that the features hold; views of one base count once.
inline std::int64_t feature_bytes(const Features& features) {
  if (features.base.defined()) {
    return static_cast<std::int64_t>(features.base.nbytes());
  }
  std::int64_t sum = 0;
  for (const at::Tensor& tap : features.taps) {
    sum += static_cast<std::int64_t>(tap.nbytes());
  }
  return sum;
}

template <>
struct ItemType<FeaturePack> {
  static constexpr std::string_view name = "feature_pack";
  static std::int64_t bytes(const FeaturePack& features) {
    return ItemType<TokenPack>::bytes(features.pack) + feature_bytes(features.features);
  }
};

}  // namespace dflash
