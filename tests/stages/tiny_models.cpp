// SPDX-License-Identifier: Apache-2.0
#include "tests/stages/tiny_models.h"

#include "framework/core/counter_random.h"
#include "stages/batch/token_packer.h"

namespace dflash {
namespace {

constexpr std::int64_t kVocabulary = 32;

TargetConfig tiny_target() {
  TargetConfig config;
  config.vocab_size = kVocabulary;
  config.hidden_size = 16;
  config.intermediate_size = 24;
  config.num_hidden_layers = 4;
  config.num_attention_heads = 2;
  config.num_key_value_heads = 1;
  config.head_dim = 8;
  config.max_position_embeddings = 128;
  config.rope_theta = 10000.0;
  config.tie_word_embeddings = true;
  return config;
}

DrafterConfig tiny_drafter() {
  DrafterConfig config;
  config.hidden = 16;
  config.intermediate = 24;
  config.layers = 1;
  config.heads = 2;
  config.kv_heads = 1;
  config.head_dim = 8;
  config.block_size = 4;
  config.mask_token_id = kVocabulary - 1;
  config.target_layer_ids = {0, 2};
  config.num_target_layers = 4;
  config.layer_types = {LayerKind::kFull};
  config.rope_theta = 10000.0;
  config.vocab_size = kVocabulary;
  return config;
}

}  // namespace

TinyModels::TinyModels()
    : models_{std::make_shared<Models>(Models::Options{.target_path = "", .seed = 5}, tiny_target(), tiny_drafter())} {
  models_->publish_target(std::make_shared<const TargetWeights>(init_target(models_->target_config(), 5, at::kCPU)));
  resources_.put(models_);
}

StageEnv TinyModels::env(std::int64_t steps) const {
  StageEnv env;
  env.name = "stage";
  env.device = "cpu";
  env.seed = 11;
  env.steps = steps;
  env.resources = &resources_;
  return env;
}

TokenPack tiny_pack(const std::vector<std::int64_t>& lengths, std::int64_t first_row) {
  std::vector<Document> documents;
  std::int64_t rows = 0;
  for (const std::int64_t length : lengths) {
    Document document;
    document.row_id = first_row + static_cast<std::int64_t>(documents.size());
    for (std::int64_t i = 0; i < length; ++i) {
      const std::uint64_t draw =
          counter_random(1, {static_cast<std::uint64_t>(document.row_id), static_cast<std::uint64_t>(i)});
      document.ids.push_back(static_cast<std::int32_t>(draw % (kVocabulary - 1)));
      document.loss_mask.push_back(i == 0 ? 0 : 1);
    }
    rows += length;
    documents.push_back(std::move(document));
  }
  return make_token_pack(documents, rows, DocumentIdsMethod::kHost, "cpu");
}

}  // namespace dflash
