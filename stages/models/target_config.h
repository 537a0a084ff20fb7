// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "framework/core/json.h"
#include "stages/models/layer_kind.h"
#include "stages/models/rope_scaling.h"
#include "stages/models/target_family.h"

namespace dflash {

/// Family, sizes and constants of a target, as its Hugging Face `config.json` has them (names are theirs).
struct TargetConfig {
  TargetFamily family = TargetFamily::kQwen3;
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
  RopeScaling rope_scaling = {};
  bool attention_bias = false;              // of q, k, v and o; always of q, k and v alone in Qwen2
  std::vector<LayerKind> layer_types = {};  // one per layer; empty where all are full
  std::int64_t sliding_window = 0;          // tokens that sliding layers see, the query's own included; 0 without such
  bool tie_word_embeddings = false;
  std::optional<std::int64_t> bos_token_id;
  std::vector<std::int64_t> eos_token_ids;
  std::optional<std::int64_t> pad_token_id;
  at::ScalarType dtype = at::kFloat;  // of the weights in the file: fp32, bf16 or fp16
};

/// Whether each query and key head is normed before the rotation.
bool has_head_norms(const TargetConfig& config);
bool has_qkv_bias(const TargetConfig& config);
bool has_output_bias(const TargetConfig& config);

/// Tokens that a layer's queries see, themselves included; 0 where all before are seen.
std::int64_t window_of(const TargetConfig& config, std::int64_t layer);

/// Reads `folder/config.json`, of the old layout (`rope_theta`, `rope_scaling`) or the new (`rope_parameters`). Throws
/// UserError with all faults in one message: what is missing, of a wrong type or range, and what is not supported
/// (another architecture, other kinds of rotary positions, quantised weights, biases in the MLP).
TargetConfig read_target_config(const std::filesystem::path& folder);

/// The same from parsed JSON; `place` begins the message.
TargetConfig target_config_from_json(const Json& json, const std::string& place);

/// Returns a config that the `transformers` package reads, old and new (both rotary layouts, `torch_dtype` and
/// `dtype`).
Json target_config_to_json(const TargetConfig& config);

/// Writes `folder/config.json` (atomically).
void write_target_config(const std::filesystem::path& folder, const TargetConfig& config);

}  // namespace dflash
