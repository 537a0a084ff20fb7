// SPDX-License-Identifier: Apache-2.0
#include "stages/models/drafter_config.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/nearest_name.h"

namespace dflash {

namespace {

constexpr std::int64_t kMostDraftLayers = 1024;

}  // namespace

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
  DFLASH_USER_CHECK(std::ranges::find(known, layout) != known.end(), "unknown layout of layers '{}'{}", layout,
                    suggestion(layout, known));
  std::vector<LayerKind> kinds(static_cast<std::size_t>(layers),
                               layout == "full" ? LayerKind::kFull : LayerKind::kSliding);
  if (layout == "hybrid" && !kinds.empty()) {
    kinds.back() = LayerKind::kFull;
  }
  return kinds;
}

namespace {

void check_sizes(const DrafterConfig& config, ConfigFaults& faults) {
  const auto positive = [&](const char* key, std::int64_t value) {
    faults.require(value >= 1, {key}, "found {}, allowed: at least 1", value);
  };
  positive("hidden_size", config.hidden);
  positive("intermediate_size", config.intermediate);
  positive("num_attention_heads", config.heads);
  positive("num_key_value_heads", config.kv_heads);
  positive("max_position_embeddings", config.max_position_embeddings);
  positive("vocab_size", config.vocab_size);
  faults.require(config.layers >= 1 && config.layers <= kMostDraftLayers, {"num_hidden_layers"},
                 "found {}, allowed: 1 to {}", config.layers, kMostDraftLayers);
  faults.require(config.kv_heads < 1 || config.heads % config.kv_heads == 0,
                 {"num_attention_heads", "num_key_value_heads"},
                 "found {}, allowed: a multiple of num_key_value_heads, {}", config.heads, config.kv_heads);
  faults.require(config.head_dim >= 2 && config.head_dim % 2 == 0, {"head_dim"},
                 "found {}, allowed: an even number, at least 2", config.head_dim);
  faults.require(config.block_size >= 2, {"block_size", "dflash_config.block_size"},
                 "found {}, allowed: at least 2 (the anchor and one slot)", config.block_size);
  faults.require(config.rope_theta > 0, {"rope_theta"}, "found {}, allowed: a number above 0", config.rope_theta);
  faults.require(config.rms_norm_eps > 0, {"rms_norm_eps"}, "found {}, allowed: a number above 0", config.rms_norm_eps);
}

void check_tokens(const DrafterConfig& config, ConfigFaults& faults) {
  const char* mask = "dflash_config.mask_token_id";
  faults.require(config.mask_token_id >= 0 && config.mask_token_id < config.vocab_size, {mask},
                 "found {}, allowed: a row of the target's embedding, 0 to {}", config.mask_token_id,
                 config.vocab_size - 1);
  faults.require(config.mask_token_id != config.pad_token_id || config.pad_token_id < 0, {mask, "pad_token_id"},
                 "found {}, which is pad_token_id too; allowed: a token of its own", config.mask_token_id);
  faults.require(config.mask_token_id != config.eos_token_id || config.eos_token_id < 0, {mask, "eos_token_id"},
                 "found {}, which is eos_token_id too; allowed: a token of its own", config.mask_token_id);
  faults.require(config.pad_token_id < config.vocab_size, {"pad_token_id", "vocab_size"},
                 "found {}, allowed: below vocab_size, {}", config.pad_token_id, config.vocab_size);
}

void check_taps(const DrafterConfig& config, ConfigFaults& faults) {
  const auto& ids = config.target_layer_ids;
  const std::int64_t last = config.num_target_layers - 2;
  faults.require(config.num_target_layers >= 2, {"num_target_layers"}, "found {}, allowed: at least 2",
                 config.num_target_layers);
  const bool inside = std::ranges::all_of(ids, [&](std::int64_t id) { return id >= 0 && id <= last; });
  const bool ascend = std::ranges::adjacent_find(ids, std::greater_equal<>{}) == ids.end();
  faults.require(!ids.empty() && inside && ascend, {"dflash_config.target_layer_ids", "num_target_layers"},
                 "found [{}], allowed: layers from 0 to {} that ascend without repetition{}", fmt::join(ids, ", "),
                 last, inside ? "" : "; the output of the last layer is served after the final norm");
}

void check_layers(const DrafterConfig& config, ConfigFaults& faults) {
  faults.require(std::ssize(config.layer_types) == config.layers, {"layer_types", "num_hidden_layers"},
                 "found {} entries, allowed: one for each of the {} layers", config.layer_types.size(), config.layers);
  if (!config.has(LayerKind::kSliding)) {
    return;
  }
  if (config.window == 0) {
    faults.add({"sliding_window", "layer_types"}, "is missing, which a sliding layer needs: at least block_size, {}",
               config.block_size);
  } else {
    faults.require(config.window >= config.block_size, {"sliding_window", "block_size", "layer_types"},
                   "found {}, allowed where a layer is sliding: at least block_size, {}", config.window,
                   config.block_size);
  }
}

}  // namespace

void check_drafter_config(const DrafterConfig& config, ConfigFaults& faults) {
  check_sizes(config, faults);
  check_tokens(config, faults);
  check_taps(config, faults);
  check_layers(config, faults);
}

}  // namespace dflash
