// SPDX-License-Identifier: Apache-2.0
#include "stages/models/feature_fusion.h"

#include <ATen/ATen.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

std::vector<at::Tensor> loose_taps(const Features& features, std::int64_t hidden) {
  return features.taps.empty() ? features.base.split(hidden, 1) : features.taps;
}

at::Tensor concatenated(const Features& features, std::int64_t* copied_bytes) {
  if (features.base.defined()) {
    return features.base;
  }
  at::Tensor joined = at::cat(features.taps, 1);
  if (copied_bytes != nullptr) {
    *copied_bytes += static_cast<std::int64_t>(joined.nbytes());
  }
  return joined;
}

at::Tensor fuse_split(const Features& features, const at::Tensor& weight) {
  const std::int64_t hidden = weight.size(0);
  const auto taps = loose_taps(features, hidden);
  const auto parts = weight.split(hidden, 1);
  at::Tensor sum = at::mm(taps[0], parts[0].t());
  for (std::size_t k = 1; k < taps.size(); ++k) {
    sum = at::addmm(sum, taps[k], parts[k].t());
  }
  return sum;
}

}  // namespace

at::Tensor fuse_features(const Features& features, const at::Tensor& weight, FeatureFusion fusion,
                         std::int64_t* copied_bytes) {
  const std::int64_t hidden = weight.size(0);
  const std::int64_t width =
      features.base.defined() ? features.base.size(1) : static_cast<std::int64_t>(features.taps.size()) * hidden;
  DFLASH_CHECK(width == weight.size(1), "features are {} wide, fc.weight takes {}", width, weight.size(1));
  if (fusion == FeatureFusion::kSplit) {
    return fuse_split(features, weight);
  }
  return at::mm(concatenated(features, copied_bytes), weight.t());
}

}  // namespace dflash
