// SPDX-License-Identifier: Apache-2.0
#include "stages/models/drafter_config.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/nearest_name.h"

namespace dflash {

bool DrafterConfig::has(LayerKind kind) const {
  return std::find(layer_types.begin(), layer_types.end(), kind) != layer_types.end();
}

std::vector<std::int64_t> default_target_layer_ids(std::int64_t num_layers, std::int64_t count) {
  DFLASH_USER_CHECK(count >= 1 && num_layers >= 2, "cannot choose {} layers to tap from a target of {} layers", count,
                    num_layers);
  if (count == 1) {
    return {std::min(num_layers / 2, num_layers - 2)};
  }
  DFLASH_USER_CHECK(num_layers - 3 >= count, "cannot spread {} taps over a target of {} layers; at most {} fit", count,
                    num_layers, std::max<std::int64_t>(num_layers - 3, 1));
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < count; ++i) {
    const double exact = 1.0 + static_cast<double>(i * (num_layers - 4)) / static_cast<double>(count - 1);
    ids.push_back(static_cast<std::int64_t>(std::nearbyint(exact)));
  }
  return ids;
}

std::vector<LayerKind> layer_kinds(const std::string& layout, std::int64_t layers) {
  const std::vector<std::string> known{"full", "sliding", "hybrid"};
  DFLASH_USER_CHECK(std::find(known.begin(), known.end(), layout) != known.end(),
                    "layers: unknown layout '{}'{}; allowed: full, sliding, hybrid", layout, suggestion(layout, known));
  std::vector<LayerKind> kinds(static_cast<std::size_t>(layers),
                               layout == "full" ? LayerKind::kFull : LayerKind::kSliding);
  if (layout == "hybrid" && !kinds.empty()) {
    kinds.back() = LayerKind::kFull;
  }
  return kinds;
}

namespace {

class Faults {
 public:
  template <typename... Args>
  void require(bool condition, fmt::format_string<Args...> format, Args&&... args) {
    if (!condition) {
      text_ += "\n  " + fmt::format(format, std::forward<Args>(args)...);
    }
  }
  void raise(const std::string& place) const {
    DFLASH_USER_CHECK(text_.empty(), "{}: not a usable drafter configuration:{}", place, text_);
  }

 private:
  std::string text_;
};

void check_sizes(const DrafterConfig& config, Faults& faults) {
  const auto positive = [&](const char* key, std::int64_t value) {
    faults.require(value >= 1, "{} must be at least 1, found {}", key, value);
  };
  positive("hidden_size", config.hidden);
  positive("intermediate_size", config.intermediate);
  positive("num_hidden_layers", config.layers);
  positive("num_attention_heads", config.heads);
  positive("num_key_value_heads", config.kv_heads);
  positive("max_position_embeddings", config.max_position_embeddings);
  positive("vocab_size", config.vocab_size);
  faults.require(config.kv_heads < 1 || config.heads % config.kv_heads == 0,
                 "num_attention_heads must be a multiple of num_key_value_heads, found {} and {}", config.heads,
                 config.kv_heads);
  faults.require(config.head_dim >= 2 && config.head_dim % 2 == 0, "head_dim must be even and positive, found {}",
                 config.head_dim);
  faults.require(config.block_size >= 2, "block_size must be at least 2 (the anchor and one slot), found {}",
                 config.block_size);
  faults.require(config.rope_theta > 0, "rope_theta must be positive, found {}", config.rope_theta);
  faults.require(config.rms_norm_eps > 0, "rms_norm_eps must be positive, found {}", config.rms_norm_eps);
}

void check_tokens(const DrafterConfig& config, Faults& faults) {
  faults.require(config.mask_token_id >= 0 && config.mask_token_id < config.vocab_size,
                 "mask_token_id must be a row of the target's embedding (0 to {}), found {}", config.vocab_size - 1,
                 config.mask_token_id);
  faults.require(config.mask_token_id != config.pad_token_id || config.pad_token_id < 0,
                 "mask_token_id must not be pad_token_id, found {} for both", config.mask_token_id);
  faults.require(config.mask_token_id != config.eos_token_id || config.eos_token_id < 0,
                 "mask_token_id must not be eos_token_id, found {} for both", config.mask_token_id);
  faults.require(config.pad_token_id < config.vocab_size, "pad_token_id must be below vocab_size {}, found {}",
                 config.vocab_size, config.pad_token_id);
}

void check_taps(const DrafterConfig& config, Faults& faults) {
  faults.require(config.num_target_layers >= 2, "num_target_layers must be at least 2, found {}",
                 config.num_target_layers);
  faults.require(!config.target_layer_ids.empty(), "target_layer_ids must name at least one layer");
  for (const auto id : config.target_layer_ids) {
    faults.require(id >= 0 && id <= config.num_target_layers - 2,
                   "target_layer_ids: {} is outside 0 to {}; the last layer's output is served after the final norm",
                   id, config.num_target_layers - 2);
  }
  const auto& ids = config.target_layer_ids;
  faults.require(std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) == ids.end(),
                 "target_layer_ids must ascend without repetition, found [{}]", fmt::join(ids, ", "));
}

void check_layers(const DrafterConfig& config, Faults& faults) {
  faults.require(static_cast<std::int64_t>(config.layer_types.size()) == config.layers,
                 "layer_types must have one entry per layer ({}), found {}", config.layers, config.layer_types.size());
  faults.require(!config.has(LayerKind::kSliding) || config.window >= config.block_size,
                 "sliding_window must be at least block_size {}, found {}", config.block_size, config.window);
}

}  // namespace

void check_drafter_config(const DrafterConfig& config, const std::string& place) {
  Faults faults;
  check_sizes(config, faults);
  check_tokens(config, faults);
  check_taps(config, faults);
  check_layers(config, faults);
  faults.raise(place);
}

}  // namespace dflash
