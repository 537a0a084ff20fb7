// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "framework/core/stage.h"
#include "stages/batch/token_pack.h"
#include "stages/session/models.h"
#include "stages/target/taps.h"

namespace dflash {

/// Runs the frozen target over a pack and keeps the residual stream after each tapped layer. Stops after the last of
/// them.
class TargetForward final : public Transform<TokenPack, Taps> {
 public:
  enum class Precision { kAuto, kFp32, kBf16 };

  static StageInfo info() {
    return {.type = "target_forward",
            .summary = "runs the frozen target and taps its layers",
            .stateless = true,
            .uses_device = true};
  }
  TargetForward() : Transform{"packs", "packs of whole documents", "taps", "the packs and their tapped layers"} {}

  Choice<Precision> precision{*this,
                              "precision",
                              Precision::kAuto,
                              {{"auto", Precision::kAuto}, {"fp32", Precision::kFp32}, {"bf16", Precision::kBf16}},
                              "what the target computes in; auto: as the run",
                              /*planned=*/{"fp8"}};
  Param<bool> graphs{
      *this, "graphs", {.value = false, .help = "replay the forward pass as a CUDA graph (not in this version)"}};

  Param<bool> final_hidden{
      *this,
      "final_hidden",
      {.value = false, .help = "run to the final norm and give its output too, for loss.type = kl"}};

  void check(StageCheck& check) const override;
  void open(const StageEnv& env) override;
  [[nodiscard]] Taps transform(TokenPack pack, Firing& firing) override;

 private:
  std::shared_ptr<const TargetWeights> weights_;
  const TargetConfig* config_ = nullptr;
  std::vector<std::int64_t> tap_ids_;
};

}  // namespace dflash
