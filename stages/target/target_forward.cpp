// SPDX-License-Identifier: Apache-2.0
#include "stages/target/target_forward.h"

#include <ATen/core/grad_mode.h>
#include <nlohmann/json.hpp>

#include "framework/core/stage_check.h"
#include "stages/models/target.h"
#include "stages/session/needed_models.h"

namespace dflash {

void TargetForward::check(StageCheck& check) const {
  if (graphs()) {
    check.add(graphs, "found true, allowed: false; CUDA graphs are not in this version");
  }
  const Models* models = needed_drafter(check);
  if (models == nullptr || precision() == Precision::kAuto) {
    return;
  }
  const bool bf16 = models->options().compute_type == at::kBFloat16;
  if ((precision() == Precision::kBf16) != bf16) {
    check.add(precision, fmt::format("found {}, allowed: auto | {}; the run computes in it, see run.precision",
                                     precision.value_json().dump(), bf16 ? "bf16" : "fp32"));
  }
}

void TargetForward::open(const StageEnv& env) {
  auto& models = env.resources->get<Models>();
  weights_ = models.target_weights();
  config_ = &models.target_config();
  tap_ids_ = models.drafter_config().target_layer_ids;
}

Taps TargetForward::transform(TokenPack pack, Firing&) {
  const at::NoGradGuard no_grad;
  PackedTokens tokens{.ids = pack.ids, .positions = pack.positions, .document_starts = {0}};
  for (const PackedDocument& document : pack.documents) {
    tokens.document_starts.push_back(document.end);
  }
  TargetOutput output =
      target_forward(*weights_, *config_, tokens, {.tap_ids = tap_ids_, .to_final_norm = final_hidden()});
  return {std::move(pack), std::move(output.taps), std::move(output.hidden)};
}

}  // namespace dflash
