// SPDX-License-Identifier: Apache-2.0
#include "stages/drafter/drafter_step.h"

#include <ATen/core/grad_mode.h>

#include "framework/core/snapshot.h"
#include "framework/core/stage_check.h"
#include "stages/drafter/optimizer_file.h"
#include "stages/models/device_copy.h"
#include "stages/models/safetensors.h"
#include "stages/postprocess/divergence.h"
#include "stages/session/needed_models.h"
#include "stages/target/target_forward.h"

namespace dflash {
namespace {

constexpr const char* kWeightsFile = "drafter.safetensors";
constexpr const char* kStateFile = "optimizer.safetensors";

DrafterWeights trainable(const Models& models, std::uint64_t seed) {
  return map_parameters(models.initial_drafter(seed), [&](const at::Tensor& value) {
    return value.to(models.options().device, models.options().compute_type).detach().requires_grad_(true);
  });
}

std::vector<std::pair<std::string, at::Tensor>> named(DrafterWeights& weights) {
  std::vector<std::pair<std::string, at::Tensor>> parameters;
  for_each_parameter(weights,
                     [&](const std::string& name, at::Tensor& value) { parameters.emplace_back(name, value); });
  return parameters;
}

}  // namespace

void DrafterStep::check(StageCheck& check) const {
  check_training_steps(check);
  (void)needed_drafter(check);
  if (loss_type() != LossType::kKl) {
    return;
  }
  for (const Graph::Vertex* vertex : check.upstream()) {
    const auto* target = dynamic_cast<const TargetForward*>(vertex->stage.get());
    if (target != nullptr && !target->final_hidden()) {
      check.add(loss_type,
                fmt::format("kl is measured against the target's last hidden state, which stage '{0}' does not "
                            "give; set {0}.final_hidden to true",
                            vertex->name));
    }
  }
}

void DrafterStep::open(const StageEnv& env) {
  name_ = env.name;
  models_ = &env.resources->get<Models>();
  config_ = &models_->drafter_config();
  target_ = models_->target_weights();
  total_steps_ = env.steps;
  weights_ = trainable(*models_, env.seed);
  adamw_ = std::make_unique<AdamW>(named(weights_), optimizer.adamw_options());
  models_->publish_drafter(weights_);
  models_->set_trains_drafter();
}

void DrafterStep::fire(Firing& firing) {
  const DraftBatch batch = firing.take(batches);
  // A recording may be of a run with another drafter.
  DFLASH_USER_CHECK(batch.layout.block_size == config_->block_size,
                    "its batch is laid out in blocks of {} tokens, models.drafter.block_size is {}",
                    batch.layout.block_size, config_->block_size);
  if (batch.layout.num_supervised() == 0) {
    firing.count("batches_without_supervision", 1);
    return;
  }
  add_batch(batch, firing);
  if (sums_.batches == accumulate()) {
    finish_step(firing);
  }
}

void DrafterStep::add_batch(const DraftBatch& batch, Firing& firing) {
  const DrafterOptions options{.fc = fc(), .attention = attention(), .slice_blocks = slice_blocks()};
  const at::Tensor hidden = phases_.phase(firing, "forward", [&] {
    return drafter_forward(*config_, weights_, target_->embedding, batch.features, batch.layout, options);
  });
  const LossSums sums = phases_.phase(firing, "loss", [&] {
    return draft_loss(
        hidden, {.lm_head = output_head(*target_), .teacher_hidden = batch.final_hidden}, batch.layout,
        {.form = head(), .loss = loss_type(), .gamma = gamma(), .alpha = alpha(), .chunk_blocks = head_chunk_blocks()});
  });
  phases_.phase(firing, "backward", [&] { sums.numerator.backward(); });
  ++sums_.batches;
  sums_.tokens += batch.pack.tokens;
  add_sums(sums);
}

void DrafterStep::add_sums(const LossSums& sums) {
  const at::NoGradGuard no_grad;
  const auto add = [](at::Tensor& sum, const at::Tensor& value) {
    sum = sum.defined() ? sum + value.detach() : value.detach();
  };
  add(sums_.numerator, sums.numerator);
  add(sums_.denominator, sums.denominator);
  add(sums_.correct, sums.correct);
  add(sums_.total, sums.total);
  add(sums_.accept_tokens, sums.accept_tokens);
  add(sums_.accept_blocks, sums.accept_blocks);
}

void DrafterStep::finish_step(Firing& firing) {
  const double lr = optimizer.learning_rate_at(step_, total_steps_);
  const AdamWStep update = phases_.phase(firing, "optimizer", [&] { return adamw_->step(lr, sums_.denominator); });
  ++step_;
  firing.emit(metrics, step_metrics(update, lr));
  sums_ = {};
  phases_.clear();
  firing.complete_step(step_);
}

StepMetrics DrafterStep::step_metrics(const AdamWStep& update, double lr) const {
  const at::NoGradGuard no_grad;
  const auto share = [](const at::Tensor& part, const at::Tensor& whole) {
    return (part.to(at::kFloat) / whole.to(at::kFloat).clamp_min(1e-20)).reshape({-1});
  };
  const at::Tensor by_slot = share(sums_.correct, sums_.total).slice(0, 1);
  StepMetrics made;
  made.stage = name_;
  made.step = step_;
  made.tokens = sums_.tokens;
  made.lr = lr;
  made.names = {"loss", "accuracy", "accept_length", "grad_norm", "skipped"};
  for (std::int64_t slot = 1; slot <= by_slot.size(0); ++slot) {
    made.names.push_back(fmt::format("accuracy_{}", slot));
  }
  made.values =
      to_host(at::cat({share(sums_.numerator, sums_.denominator), share(sums_.correct.sum(), sums_.total.sum()),
                       share(sums_.accept_tokens, sums_.accept_blocks), update.grad_norm.to(at::kFloat).reshape({-1}),
                       update.skipped.to(at::kFloat).reshape({-1}), by_slot}));
  made.phase_seconds = phases_.seconds();
  return made;
}

void DrafterStep::save(Snapshot& snapshot) const {
  snapshot.values["step"] = step_;
  if (snapshot.folder.empty()) {
    return;
  }
  const std::map<std::string, at::Tensor> state = adamw_->state();
  check_finite(name_, step_, state);
  save_optimizer(*adamw_, snapshot.folder / kStateFile);
  std::vector<NamedTensor> masters;
  for_each_parameter(weights_, [&](const std::string& name, const at::Tensor&) {
    masters.emplace_back(name, state.at("master." + name));
  });
  write_safetensors(snapshot.folder / kWeightsFile, masters);
}

void DrafterStep::load(const Snapshot& snapshot) {
  step_ = snapshot.values.at("step");
  load_optimizer(*adamw_, snapshot.folder / kStateFile);
}

}  // namespace dflash
