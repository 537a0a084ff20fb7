// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "framework/core/stage.h"
#include "stages/extract/feature_pack.h"
#include "stages/target/taps.h"

namespace dflash {

/// Turns tapped layers into the drafter's context features.
class ExtractFeatures final : public Transform<Taps, FeaturePack> {
 public:
  enum class Form { kConcat, kSplit };

  static StageInfo info() {
    return {.type = "extract_features",
            .summary = "turns tapped layers into context features",
            .stateless = true,
            .uses_device = true};
  }
  ExtractFeatures() : Transform{"taps", "the target's tapped layers", "features", "one feature per token"} {}

  Choice<Form> form{*this,
                    "form",
                    Form::kConcat,
                    {{"concat", Form::kConcat}, {"split", Form::kSplit}},
                    "concat: one contiguous [S, K * hidden]; split: the tapped layers as they are, no copy"};
  Param<double> noise{
      *this, "noise", {.value = 0.0, .min = 0.0, .help = "half width of uniform noise added to each feature"}};
  Param<bool> nan_guard{
      *this, "nan_guard", {.value = false, .help = "fail on a feature that is not finite (reads one scalar)"}};
  Param<bool> zero{
      *this, "zero", {.value = false, .help = "replace the features by zeros, to see what they are worth"}};

  void open(const StageEnv& env) override { seed_ = env.seed; }
  [[nodiscard]] FeaturePack transform(Taps taps, Firing& firing) override;

 private:
  [[nodiscard]] at::Tensor noise_for(const TokenPack& pack, const at::Tensor& like) const;

  std::uint64_t seed_ = 0;
};

}  // namespace dflash
