// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "framework/core/item.h"
#include "stages/batch/token_pack.h"
#include "stages/models/feature_fusion.h"
#include "stages/models/nan_like.h"

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

/// The same features, but NaN: all of the base, or the first tap.
inline Features poisoned_features(const Features& features) {
  Features made = features;
  if (made.base.defined()) {
    made.base = nan_like(made.base);
  }
  if (!made.taps.empty()) {
    made.taps.front() = nan_like(made.taps.front());
  }
  return made;
}

template <>
struct ItemType<FeaturePack> {
  static constexpr std::string_view kName = "feature_pack";
  static std::int64_t bytes(const FeaturePack& features) {
    return ItemType<TokenPack>::bytes(features.pack) + feature_bytes(features.features);
  }
  static FeaturePack poisoned(const FeaturePack& pack) {
    FeaturePack made = pack;
    made.features = poisoned_features(pack.features);
    return made;
  }
  static std::string serialize(const FeaturePack& features);
  static FeaturePack deserialize(std::string_view bytes, const std::string& device);
};

/// Features as part of a recorded item: fields "features....". What was a view of the base is one again; loose taps
/// come back without memory in common.
void write_features(ItemWriter& writer, const Features& features);
/// Of `rows` tokens, on `device`.
Features read_features(const ItemReader& reader, std::int64_t rows, at::Device device);

}  // namespace dflash
