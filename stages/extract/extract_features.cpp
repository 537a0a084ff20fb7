// SPDX-License-Identifier: Apache-2.0
#include "stages/extract/extract_features.h"

#include <ATen/core/grad_mode.h>

#include "framework/core/counter_random.h"
#include "framework/core/error.h"
#include "stages/models/device_copy.h"

namespace dflash {
namespace {

constexpr std::uint64_t kNoiseKey = 0x6e6f697365;  // sets noise apart from the other draws of a row

void check_finite(const Features& features, const TokenPack& pack) {
  std::vector<at::Tensor> parts = features.taps;
  if (features.base.defined()) {
    parts = {features.base};
  }
  for (const at::Tensor& part : parts) {
    DFLASH_USER_CHECK(
        at::isfinite(part).all().item<bool>(),
        "a feature of the pack that begins with row {} is not finite; the target or its weights are at fault",
        pack.documents.front().row_id);
  }
}

}  // namespace

at::Tensor ExtractFeatures::noise_for(const TokenPack& pack, const at::Tensor& like) const {
  std::vector<at::Tensor> parts;
  for (const PackedDocument& document : pack.documents) {
    const std::uint64_t seed = counter_random(
        seed_, {kNoiseKey, static_cast<std::uint64_t>(document.epoch), static_cast<std::uint64_t>(document.row_id)});
    at::Generator generator = at::detail::createCPUGenerator(seed);
    parts.push_back(at::rand({document.end - document.begin, like.size(1)}, generator, at::kFloat));
  }
  const std::int64_t padding = pack.rows() - pack.tokens;
  parts.push_back(at::full({padding, like.size(1)}, 0.5, at::kFloat));
  return to_device(((at::cat(parts) * 2 - 1) * noise()).to(like.scalar_type()), like.device());
}

FeaturePack ExtractFeatures::transform(Taps taps, Firing&) {
  const at::NoGradGuard no_grad;
  Features features;
  if (form() == Form::kConcat || noise() > 0.0 || zero()) {
    features.base = at::cat(taps.layers, 1);
    if (zero()) {
      features.base.zero_();
    } else if (noise() > 0.0) {
      features.base.add_(noise_for(taps.pack, features.base));
    }
  }
  if (form() == Form::kSplit) {
    features.taps = features.base.defined() ? features.base.chunk(static_cast<std::int64_t>(taps.layers.size()), 1)
                                            : std::move(taps.layers);
  }
  if (nan_guard()) {
    check_finite(features, taps.pack);
  }
  return {std::move(taps.pack), std::move(features), std::move(taps.final_hidden)};
}

}  // namespace dflash
