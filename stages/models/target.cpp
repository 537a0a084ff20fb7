// SPDX-License-Identifier: Apache-2.0
#include "stages/models/target.h"

#include <algorithm>

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include "framework/core/error.h"
#include "stages/models/rms_norm.h"
#include "stages/models/rope.h"
#include "stages/models/target_attention.h"
#include "stages/models/target_layer.h"

namespace dflash {
namespace {

/// Made once for all layers of a kind.
struct LayerAttention {
  TargetAttention full;
  TargetAttention sliding;

  [[nodiscard]] const TargetAttention& of(const TargetConfig& config, std::int64_t layer) const {
    return window_of(config, layer) > 0 ? sliding : full;
  }
};

LayerAttention layer_attention(const TargetConfig& config, const PackedTokens& tokens) {
  const at::Device device = tokens.ids.device();
  LayerAttention attention{.full = document_causal_attention(tokens.document_starts, device), .sliding = {}};
  if (config.sliding_window > 0) {
    attention.sliding = document_causal_attention(tokens.document_starts, device, config.sliding_window);
  }
  return attention;
}

}  // namespace

void check_tap_ids(const std::vector<std::int64_t>& tap_ids, const TargetConfig& config) {
  const bool ascending = std::ranges::adjacent_find(tap_ids, std::greater_equal<>()) == tap_ids.end();
  const bool inside = tap_ids.empty() || (tap_ids.front() >= 0 && tap_ids.back() <= config.num_hidden_layers - 2);
  DFLASH_USER_CHECK(
      ascending && inside,
      "tapped layers must be ascending ids from 0 to {} (the target has {} layers and the last is not tapped); "
      "found [{}]",
      config.num_hidden_layers - 2, config.num_hidden_layers, fmt::join(tap_ids, ", "));
}

TargetOutput target_forward(const TargetWeights& weights, const TargetConfig& config, const PackedTokens& tokens,
                            const TargetOptions& options) {
  check_tap_ids(options.tap_ids, config);
  DFLASH_CHECK(tokens.ids.dim() == 1 && tokens.positions.sizes() == tokens.ids.sizes() &&
                   !tokens.document_starts.empty() && tokens.document_starts.back() <= tokens.ids.size(0),
               "{} tokens, {} positions", tokens.ids.numel(), tokens.positions.numel());
  const at::ScalarType wide = weights.norm.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const RotaryTable rotary =
      rotary_table(tokens.positions, config.head_dim, config.rope_theta, wide, config.rope_scaling);
  const LayerAttention attend = layer_attention(config, tokens);
  const std::int64_t last_tap = options.tap_ids.empty() ? -1 : options.tap_ids.back();
  const std::int64_t num_layers = options.to_final_norm ? config.num_hidden_layers : last_tap + 1;
  TargetOutput output;
  at::Tensor stream = at::embedding(weights.embedding, tokens.ids);
  for (std::int64_t index = 0; index < num_layers; ++index) {
    stream =
        target_layer(weights.layers[static_cast<std::size_t>(index)], config, stream, rotary, attend.of(config, index));
    if (std::ranges::binary_search(options.tap_ids, index)) {
      output.taps.push_back(stream);
    }
  }
  if (options.to_final_norm) {
    output.hidden = rms_norm(stream, weights.norm, config.rms_norm_eps);
  }
  return output;
}

at::Tensor target_logits(const TargetWeights& weights, const at::Tensor& hidden) {
  return at::linear(hidden, output_head(weights));
}

}  // namespace dflash
