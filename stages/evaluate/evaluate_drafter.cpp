// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/evaluate_drafter.h"

#include <nlohmann/json.hpp>

#include "framework/core/json_syntax.h"
#include "framework/core/snapshot.h"
#include "framework/core/stage_check.h"
#include "stages/export/target_fingerprint.h"
#include "stages/session/needed_models.h"

namespace dflash {

void EvaluateDrafter::check(StageCheck& check) const {
  const Models* models = needed_drafter(check);
  if (models != nullptr && models->options().drafter_folder.empty()) {
    check.add_at("/models/drafter", "needs path: the folder of the drafter to measure");
  } else if (models != nullptr) {
    if (const auto other = other_target(models->options().drafter_folder, models->options().target_path)) {
      check.add_at("/models/drafter/path", *other);
    }
  }
  if (models != nullptr && check.env().resources->find<DrafterEvaluation>() == nullptr) {
    check.add_at("/run/evaluate", "is missing or does nothing: its prompts are what a drafter is measured on");
  }
}

void EvaluateDrafter::open(const StageEnv& env) {
  auto& models = env.resources->get<Models>();
  evaluation_ = &env.resources->get<DrafterEvaluation>();
  models.publish_drafter(map_parameters(models.initial_drafter(env.seed), [&](const at::Tensor& value) {
    return value.to(models.options().device, models.options().compute_type);
  }));
}

std::optional<JsonRows> EvaluateDrafter::next(Firing& firing) {
  if (done_) {
    return std::nullopt;
  }
  done_ = true;
  const Json report = evaluation_->run(/*complete=*/true);
  firing.count("tokens", report.at("tokens").get<std::int64_t>());
  JsonRows rows;
  for (const Json& row : evaluation_->answer_rows()) {
    rows.lines.push_back(text_of(row));
  }
  return rows;
}

void EvaluateDrafter::save(Snapshot& snapshot) const { snapshot.values["done"] = done_; }

void EvaluateDrafter::load(const Snapshot& snapshot) { done_ = snapshot.values.at("done").get<bool>(); }

}  // namespace dflash
