// SPDX-License-Identifier: Apache-2.0
#include "stages/target/target_step.h"

#include "framework/core/snapshot.h"
#include "framework/core/stage_check.h"
#include "stages/drafter/optimizer_file.h"
#include "stages/models/device_copy.h"
#include "stages/models/target.h"
#include "stages/postprocess/divergence.h"
#include "stages/session/needed_models.h"

namespace dflash {
namespace {

constexpr const char* kStateFile = "optimizer.safetensors";

/// Places in the pack whose next token is supervised and in the same document.
std::vector<std::int64_t> predicting_rows(const TokenPack& pack) {
  std::vector<std::int64_t> rows;
  for (const PackedDocument& document : pack.documents) {
    for (std::int64_t row = document.begin; row + 1 < document.end; ++row) {
      if (pack.host_loss_mask[row + 1] != 0) {
        rows.push_back(row);
      }
    }
  }
  return rows;
}

}  // namespace

void TargetStep::check(StageCheck& check) const {
  check_training_steps(check);
  const auto* models = check.needs<Models>("models.target");
  if (models != nullptr && models->options().wants_bf16) {
    check.add_at(
        "/run/precision",
        fmt::format("found \"bf16\", allowed: auto | fp32; stage '{}' trains its target in fp32", check.env().name));
  }
}

void TargetStep::open(const StageEnv& env) {
  name_ = env.name;
  models_ = &env.resources->get<Models>();
  total_steps_ = env.steps;
  weights_ = std::make_shared<TargetWeights>(models_->trainable_target());
  std::vector<std::pair<std::string, at::Tensor>> parameters;
  for_each_parameter(*weights_, [&](const std::string& name, at::Tensor& value) {
    value.requires_grad_(true);
    parameters.emplace_back(name, value);
  });
  adamw_ = std::make_unique<AdamW>(std::move(parameters), optimizer.adamw_options());
  models_->publish_target(weights_);
}

void TargetStep::fire(Firing& firing) {
  const TokenPack pack = firing.take(packs);
  const std::vector<std::int64_t> rows = predicting_rows(pack);
  if (rows.empty()) {
    firing.count("packs_without_supervision", 1);
    return;
  }
  PackedTokens tokens{.ids = pack.ids, .positions = pack.positions, .document_starts = {0}};
  for (const PackedDocument& document : pack.documents) {
    tokens.document_starts.push_back(document.end);
  }
  PhaseClock phases;
  const at::Tensor where = to_device(at::tensor(rows, at::kLong), pack.ids.device());
  const at::Tensor loss = phases.phase(firing, "forward", [&] {
    const at::Tensor hidden =
        target_forward(*weights_, models_->target_config(), tokens, {.tap_ids = {}, .to_final_norm = true}).hidden;
    const at::Tensor logits = target_logits(*weights_, hidden.index_select(0, where)).to(at::kFloat);
    return at::cross_entropy_loss(logits, pack.ids.index_select(0, where + 1), {}, at::Reduction::Sum);
  });
  phases.phase(firing, "backward", [&] { loss.backward(); });
  const at::Tensor count = at::full({}, static_cast<double>(rows.size()), loss.options().requires_grad(false));
  const double lr = optimizer.learning_rate_at(step_, total_steps_);
  const AdamWStep update = phases.phase(firing, "optimizer", [&] { return adamw_->step(lr, count); });
  ++step_;
  firing.emit(metrics,
              {.stage = name_,
               .step = step_,
               .tokens = pack.tokens,
               .lr = lr,
               .names = {"loss", "grad_norm"},
               .values = to_host(at::stack({loss.detach() / count, update.grad_norm.to(at::kFloat).reshape({})})),
               .phase_seconds = phases.seconds()});
  firing.complete_step(step_);
}

void TargetStep::save(Snapshot& snapshot) const {
  snapshot.values["step"] = step_;
  if (!snapshot.folder.empty()) {
    check_finite(name_, step_, adamw_->state());
    save_optimizer(*adamw_, snapshot.folder / kStateFile);
  }
}

void TargetStep::load(const Snapshot& snapshot) {
  step_ = snapshot.values.at("step");
  load_optimizer(*adamw_, snapshot.folder / kStateFile);
}

}  // namespace dflash
