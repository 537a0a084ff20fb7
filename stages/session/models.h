// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include "stages/models/drafter_config.h"
#include "stages/models/drafter_weights.h"
#include "stages/models/target_config.h"
#include "stages/models/target_weights.h"

namespace dflash {

/// The models of one run, resolved before any stage opens. Target side, drafter side, evaluation and export all read
/// them here. Touched on the thread that opens the stages, and afterwards only by the stage that trains (and its
/// evaluation, on its thread).
class Models {
 public:
  struct Options {
    std::filesystem::path target_path;
    bool random_target = false;  // start from random weights instead of the file's
    std::uint64_t seed = 0;
    c10::Device device{c10::kCPU};
    c10::ScalarType compute_type = c10::ScalarType::Float;
    bool wants_bf16 = false;                    // the graph says so; a run that says "auto" leaves it to its stages
    std::filesystem::path drafter_folder = {};  // of the weights that the drafter has at first; empty: random ones
  };

  Models(Options options, TargetConfig target_config, std::optional<DrafterConfig> drafter_config);

  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] const TargetConfig& target_config() const { return target_config_; }
  /// Loads the target on the first call; the same frozen weights afterwards.
  [[nodiscard]] std::shared_ptr<const TargetWeights> target_weights();
  /// For the stage that trains the target: the weights as loaded or drawn, in fp32.
  [[nodiscard]] TargetWeights trainable_target();
  [[nodiscard]] bool trains_target() const { return trains_target_; }
  /// Makes the weights that are being trained the ones that `target_weights` hands out.
  void publish_target(std::shared_ptr<const TargetWeights> weights) {
    target_weights_ = std::move(weights);
    trains_target_ = true;
  }

  [[nodiscard]] bool has_drafter() const { return drafter_config_.has_value(); }
  /// Throws UserError where the graph has no "models.drafter".
  [[nodiscard]] const DrafterConfig& drafter_config() const;
  /// The weights that the drafter has at first, in fp32 on the CPU: those of the folder, or drawn.
  [[nodiscard]] DrafterWeights initial_drafter(std::uint64_t seed) const;
  /// The working weights of the drafter: handles on what its stage updates in place, where one trains it. None until
  /// the stage has opened that publishes them.
  [[nodiscard]] const std::optional<DrafterWeights>& drafter_weights() const { return drafter_weights_; }
  void publish_drafter(DrafterWeights weights) { drafter_weights_ = std::move(weights); }
  [[nodiscard]] bool trains_drafter() const { return trains_drafter_; }
  void set_trains_drafter() { trains_drafter_ = true; }

 private:
  Options options_;
  TargetConfig target_config_;
  std::optional<DrafterConfig> drafter_config_;
  std::shared_ptr<const TargetWeights> target_weights_;
  bool trains_target_ = false;
  std::optional<DrafterWeights> drafter_weights_;
  bool trains_drafter_ = false;
};

}  // namespace dflash
