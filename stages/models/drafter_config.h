// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/json.h"
#include "framework/core/json_text.h"
#include "stages/models/config_faults.h"
#include "stages/models/layer_kind.h"

namespace dflash {

/// Shape and conventions of a drafter: what a z-lab `config.json` says of it. Layer ids follow z-lab's numbering (id i
/// is the output of the target's decoder layer i, before any final norm).
struct DrafterConfig {
  std::int64_t hidden = 0;        // equals the target's hidden size
  std::int64_t intermediate = 0;  // width of the MLP
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t block_size = 0;      // anchor included
  std::int64_t mask_token_id = -1;  // a row of the target's embedding
  std::vector<std::int64_t> target_layer_ids;
  std::int64_t num_target_layers = 0;
  std::vector<LayerKind> layer_types;  // one per layer
  std::int64_t window = 0;             // tokens, the query's own included; 0 without sliding layers
  bool sliding_causal = true;          // inside the block of a sliding layer
  double rope_theta = 1e6;
  double rms_norm_eps = 1e-6;
  std::int64_t max_position_embeddings = 32768;
  std::int64_t vocab_size = 0;
  std::int64_t bos_token_id = -1;  // -1: none; the three are only passed on to the export
  std::int64_t eos_token_id = -1;
  std::int64_t pad_token_id = -1;
  double initializer_range = 0.02;

  std::int64_t num_taps() const { return static_cast<std::int64_t>(target_layer_ids.size()); }
  std::int64_t query_size() const { return heads * head_dim; }
  std::int64_t kv_size() const { return kv_heads * head_dim; }
  bool has(LayerKind kind) const;
};

/// Returns `count` tap ids spread evenly from layer 1 to layer num_layers-3, rounding half to even (paper section 5;
/// z-lab's `build_target_layer_ids`). One id alone is the middle layer. Throws UserError if so many distinct ids do not
/// exist.
std::vector<std::int64_t> default_target_layer_ids(std::int64_t num_layers, std::int64_t count);

/// The layouts that have a name: "full", "sliding", and "hybrid" (all sliding but the last).
inline constexpr std::string_view kLayerLayouts = "full | sliding | hybrid";

/// Returns one kind per layer. Throws UserError for a name that is no layout.
std::vector<LayerKind> layer_kinds(const std::string& layout, std::int64_t layers);

/// Adds every contradiction in `config`.
void check_drafter_config(const DrafterConfig& config, ConfigFaults& faults);

/// Parses a z-lab style configuration and checks it. Adds unknown keys, wrong types and unsupported values; what it
/// returns is of use only where there is no fault.
DrafterConfig parse_drafter_config(const Json& json, ConfigFaults& faults);

/// Reads and parses the file at `path`; comments are allowed. Throws one UserError with all faults and their places.
DrafterConfig load_drafter_config(const std::string& path);

/// Where in a file of a configuration a key was written, or the nearest object around it.
std::string place_of_key(const JsonText& text, std::string_view key);

/// Writes the `config.json` of an export: every key that SGLang, vLLM, SpecForge, speculators and z-lab's own code
/// read. `dtype` is the type of the exported weights ("bfloat16", "float32").
Json drafter_config_json(const DrafterConfig& config, const std::string& dtype);

}  // namespace dflash
