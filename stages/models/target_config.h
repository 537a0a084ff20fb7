// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "framework/core/json.h"

namespace dflash {

/// Sizes and constants of a target, as its Hugging Face `config.json` has them (names are theirs). `Qwen3ForCausalLM`
/// is the one architecture supported.
struct TargetConfig {
  std::int64_t vocab_size = 0;
  std::int64_t hidden_size = 0;
  std::int64_t intermediate_size = 0;
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t num_key_value_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t max_position_embeddings = 0;
  double rms_norm_eps = 1e-6;
  double rope_theta = 0.0;
  bool tie_word_embeddings = false;
  std::optional<std::int64_t> bos_token_id;
  std::vector<std::int64_t> eos_token_ids;
  std::optional<std::int64_t> pad_token_id;
  at::ScalarType dtype = at::kFloat;  // of the weights in the file: fp32, bf16 or fp16
};

/// Reads `folder/config.json`. Throws UserError with all faults in one message: what is missing, of a wrong type or
/// range, and what is not supported (another architecture, scaled rotary positions, sliding layers, quantised weights,
/// biases).
TargetConfig read_target_config(const std::filesystem::path& folder);

/// The same from parsed JSON; `place` begins the message.
TargetConfig target_config_from_json(const Json& json, const std::string& place);

/// Returns a config that the `transformers` package reads, old and new (both rotary layouts, `torch_dtype` and
/// `dtype`).
Json target_config_to_json(const TargetConfig& config);

/// Writes `folder/config.json` (atomically).
void write_target_config(const std::filesystem::path& folder, const TargetConfig& config);

}  // namespace dflash
