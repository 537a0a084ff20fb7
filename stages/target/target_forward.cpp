// SPDX-License-Identifier: Apache-2.0
#include "stages/target/target_forward.h"

#include <ATen/core/grad_mode.h>

#include "framework/core/error.h"
#include "stages/models/target.h"

namespace dflash {

void TargetForward::open(const StageEnv& env) {
  auto& models = env.resources->get<Models>();
  DFLASH_USER_CHECK(precision() != Precision::kFp8,
                    "parameter 'precision': fp8 is not built into this version; allowed: auto, bf16, fp32");
  DFLASH_USER_CHECK(!graphs(), "parameter 'graphs': CUDA graphs are not built into this version; allowed: false");
  const c10::ScalarType computed = models.options().compute_type;
  DFLASH_USER_CHECK(precision() == Precision::kAuto || (precision() == Precision::kBf16) == (computed == at::kBFloat16),
                    "parameter 'precision': found {}, but the run computes in {}; set run.precision", precision.word(),
                    computed == at::kBFloat16 ? "bf16" : "fp32");
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
