// SPDX-License-Identifier: Apache-2.0
#include "stages/models/drafter.h"

#include <ATen/ATen.h>

#include "stages/models/attention_dense.h"
#include "stages/models/attention_mask.h"
#include "stages/models/attention_sliced.h"
#include "stages/models/drafter_layer.h"
#include "stages/models/rms_norm.h"
#include "stages/models/rope.h"

namespace dflash {
namespace {

/// What layers of one kind see, made once for all of them.
struct KindMask {
  at::Tensor dense;                // [rows, length + rows] bool, kDense only
  std::vector<BlockSlice> slices;  // kSliced only
};

KindMask make_mask(const DrafterConfig& config, const BlockLayout& layout, LayerKind kind,
                   const DrafterOptions& options, at::ScalarType dtype) {
  if (!config.has(kind)) {
    return {};
  }
  const VisibilityRule rule = visibility_rule(config, kind);
  const at::Tensor& given = kind == LayerKind::kFull ? layout.dense_full : layout.dense_sliding;
  if (options.attention == AttentionForm::kDense) {
    return {given.defined() ? given : dense_mask(layout, rule), {}};
  }
  return {{}, slice_blocks(layout, rule, options.slice_blocks, given, dtype)};
}

at::Tensor attend(const AttentionInput& input, const KindMask& mask, std::int64_t block_size) {
  return mask.dense.defined() ? attention_dense(input, mask.dense) : attention_sliced(input, mask.slices, block_size);
}

}  // namespace

at::Tensor context_features(const DrafterConfig& config, const DrafterWeights& weights, const Features& features,
                            const DrafterOptions& options) {
  return rms_norm(fuse_features(features, weights.fc, options.fc, options.copied_bytes), weights.hidden_norm,
                  config.rms_norm_eps);
}

at::Tensor drafter_forward(const DrafterConfig& config, const DrafterWeights& weights, const at::Tensor& embedding,
                           const Features& features, const BlockLayout& layout, const DrafterOptions& options) {
  const at::Tensor context = context_features(config, weights, features, options);
  at::Tensor hidden = embedding.index_select(0, layout.block_ids).to(context.scalar_type());
  const auto table = [&](const at::Tensor& positions) {
    return rotary_table(positions, config.head_dim, config.rope_theta, rotary_type(context.scalar_type()));
  };
  const RotaryTable context_rotary = table(layout.context_positions);
  const RotaryTable block_rotary = table(layout.block_positions);
  const KindMask full = make_mask(config, layout, LayerKind::kFull, options, context.scalar_type());
  const KindMask sliding = make_mask(config, layout, LayerKind::kSliding, options, context.scalar_type());
  for (std::size_t index = 0; index < weights.layers.size(); ++index) {
    const DrafterLayerWeights& layer = weights.layers[index];
    const at::Tensor normed = rms_norm(hidden, layer.input_layernorm, config.rms_norm_eps);
    const KeyValue past = project_key_value(config, layer, context, context_rotary);
    const KeyValue own = project_key_value(config, layer, normed, block_rotary);
    const at::Tensor query = project_query(config, layer, normed, block_rotary);
    const KindMask& mask = config.layer_types[index] == LayerKind::kFull ? full : sliding;
    const at::Tensor attended = attend({query, past.key, past.value, own.key, own.value}, mask, layout.block_size);
    hidden = finish_layer(config, layer, hidden, attended);
  }
  return rms_norm(hidden, weights.norm, config.rms_norm_eps);
}

}  // namespace dflash
