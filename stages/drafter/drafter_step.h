// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "framework/core/stage.h"
#include "stages/drafter/optimizer_params.h"
#include "stages/models/adamw.h"
#include "stages/models/draft_head.h"
#include "stages/models/drafter.h"
#include "stages/pack/draft_batch.h"
#include "stages/postprocess/phase_clock.h"
#include "stages/postprocess/step_metrics.h"
#include "stages/session/models.h"

namespace dflash {

/// Trains the drafter: forward, loss, backward for each batch; optimiser once every `accumulate` batches. Drives the
/// run's steps: a step is an optimiser step. Nothing in it reads a scalar from the device.
class DrafterStep final : public Stage {
 public:
  static StageInfo info() {
    return {.type = "drafter_step",
            .summary = "forward, loss, backward and optimiser of the drafter",
            .uses_device = true,
            .drives_steps = true};
  }

  Input<DraftBatch> batches{*this, "batches", "packs, features and blocks"};
  Output<StepMetrics> metrics{*this, "metrics", "the scalars of each optimiser step"};

  Choice<FeatureFusion> fc{*this,
                           "fc",
                           FeatureFusion::kConcat,
                           {{"concat", FeatureFusion::kConcat}, {"split", FeatureFusion::kSplit}},
                           "concat: one product with the joined features; split: one product per tapped layer"};
  Choice<AttentionForm> attention{*this,
                                  "attention",
                                  AttentionForm::kSliced,
                                  {{"dense", AttentionForm::kDense}, {"sliced", AttentionForm::kSliced}},
                                  "dense: whole mask; sliced: a few blocks and the keys they see at a time",
                                  /*planned=*/{"fused"}};
  Param<std::int64_t> slice_blocks{
      *this,
      "slice_blocks",
      {.value = 16, .min = 1, .unit = "blocks", .help = "blocks of a slice of attention = sliced"}};
  Choice<HeadForm> head{
      *this,
      "head",
      HeadForm::kChunked,
      {{"chunked", HeadForm::kChunked}, {"recompute", HeadForm::kRecompute}, {"whole", HeadForm::kWhole}},
      "chunked: gradient computed in the forward pass; recompute: logits computed again; whole: all logits at once"};
  Param<std::int64_t> head_chunk_blocks{
      *this, "head_chunk_blocks", {.value = 128, .min = 1, .unit = "blocks", .help = "blocks of a chunk of the head"}};
  Choice<LossType> loss_type{*this,
                             "loss.type",
                             LossType::kCe,
                             {{"ce", LossType::kCe}, {"dpace", LossType::kDpace}, {"kl", LossType::kKl}},
                             "ce: cross-entropy; dpace: with dynamic position weights; kl: from the target's "
                             "distribution (target.final_hidden)"};
  Param<double> gamma{
      *this,
      "loss.gamma",
      {.value = 7.0, .min = 0.0, .unit = "slots", .help = "decay of the slot weights exp(-(i-1)/gamma); 0: uniform"}};
  Param<double> alpha{*this, "loss.alpha", {.value = 0.5, .min = 0.0, .max = 1.0, .help = "smoothing of dpace"}};
  OptimizerParams optimizer{*this};
  Param<std::int64_t> accumulate{
      *this, "accumulate", {.value = 1, .min = 1, .unit = "batches", .help = "batches of one optimiser step"}};

  void check(StageCheck& check) const override;
  void open(const StageEnv& env) override;
  void fire(Firing& firing) override;
  void save(Snapshot& snapshot) const override;
  void load(const Snapshot& snapshot) override;

 private:
  /// Sums over the batches of one step, on the device.
  struct Accumulated {
    std::int64_t batches = 0;
    std::int64_t tokens = 0;
    at::Tensor numerator, denominator, correct, total, accept_tokens, accept_blocks;
  };
  void add_batch(const DraftBatch& batch, Firing& firing);
  void add_sums(const LossSums& sums);
  void finish_step(Firing& firing);
  [[nodiscard]] StepMetrics step_metrics(const AdamWStep& update, double lr) const;

  std::string name_;
  Models* models_ = nullptr;
  const DrafterConfig* config_ = nullptr;
  std::shared_ptr<const TargetWeights> target_;
  DrafterWeights weights_;  // what the forward pass reads; leaves of autograd
  std::unique_ptr<AdamW> adamw_;
  std::int64_t total_steps_ = 0;
  std::int64_t step_ = 0;
  Accumulated sums_;
  PhaseClock phases_;
};

}  // namespace dflash
