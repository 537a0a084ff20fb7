// SPDX-License-Identifier: Apache-2.0
#include "stages/models/draft_cache.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "framework/core/error.h"
#include "stages/models/attention_mask.h"
#include "stages/models/drafter.h"
#include "stages/models/drafter_layer.h"
#include "stages/models/rms_norm.h"
#include "stages/models/rope.h"

namespace dflash {
namespace {

using Ints = std::vector<std::int64_t>;

at::Tensor to_tensor(const Ints& values, const at::Tensor& like) {
  return at::tensor(values, at::TensorOptions().dtype(at::kLong)).to(like.device());
}

void reserve(DraftCache& cache, std::int64_t tokens) {
  if (tokens <= cache.capacity) {
    return;
  }
  const std::int64_t grown = std::max(tokens, cache.capacity * 2);
  for (auto* tensors : {&cache.keys, &cache.values}) {
    for (at::Tensor& tensor : *tensors) {
      at::Tensor larger = at::zeros({tensor.size(0), tensor.size(1), grown, tensor.size(3)}, tensor.options());
      larger.narrow(2, 0, cache.capacity).copy_(tensor);
      tensor = larger;
    }
  }
  cache.capacity = grown;
}

std::int64_t longest(const DraftCache& cache) { return *std::max_element(cache.lengths.begin(), cache.lengths.end()); }

/// Positions lengths[row] + 0 .. count - 1 of each row: [rows, count].
at::Tensor next_positions(const at::Tensor& lengths, std::int64_t count) {
  return lengths.unsqueeze(1) + at::arange(count, lengths.options());
}

/// Where the entries at `positions` stand in a cache tensor flattened to [rows * kv_heads * capacity, head_dim].
at::Tensor cache_places(const DraftCache& cache, const at::Tensor& positions) {
  const std::int64_t rows = positions.size(0);
  const std::int64_t kv_heads = cache.keys.front().size(1);
  const at::Tensor starts = at::arange(rows * kv_heads, positions.options()).view({rows, 1, kv_heads}) * cache.capacity;
  return (starts + positions.unsqueeze(2)).flatten();
}

void write(at::Tensor& cached, const at::Tensor& places, const at::Tensor& entries) {
  cached.view({-1, cached.size(3)}).index_copy_(0, places, entries.reshape({-1, entries.size(2)}));
}

/// 0 where a slot sees a cached place, -inf elsewhere: [rows, slots, places]. The block's own rows stand at
/// lengths[row] + slot.
at::Tensor block_bias(const VisibilityRule& rule, const at::Tensor& lengths, const at::Tensor& sizes,
                      std::int64_t slots, std::int64_t places, at::ScalarType dtype) {
  const at::Tensor place = at::arange(places, lengths.options());
  const at::Tensor own = next_positions(lengths, slots).unsqueeze(2);
  at::Tensor end = (lengths + sizes).view({-1, 1, 1}).expand_as(own);
  if (rule.causal) {
    end = at::minimum(end, own + 1);
  }
  at::Tensor visible = place < end;
  if (rule.window > 0) {
    visible = at::logical_and(visible, place >= at::minimum(own - (rule.window - 1), end - 1));
  }
  const at::Tensor bias = at::zeros(visible.sizes(), lengths.options().dtype(dtype));
  return bias.masked_fill(visible.logical_not(), -std::numeric_limits<double>::infinity());
}

/// `query` [rows * slots, heads, head_dim] against the first places of a layer's cache: [rows * slots, heads *
/// head_dim].
at::Tensor attend_cache(const at::Tensor& query, const at::Tensor& keys, const at::Tensor& values,
                        const at::Tensor& bias) {
  const std::int64_t rows = bias.size(0), slots = bias.size(1), places = bias.size(2);
  const std::int64_t kv_heads = keys.size(1), head_dim = keys.size(3), group = query.size(1) / kv_heads;
  const auto visible = [&](const at::Tensor& cached) { return cached.flatten(0, 1).narrow(1, 0, places); };
  const at::Tensor grouped = (query / std::sqrt(static_cast<double>(head_dim)))
                                 .view({rows, slots, kv_heads, group, head_dim})
                                 .permute({0, 2, 1, 3, 4})
                                 .reshape({rows * kv_heads, slots * group, head_dim});
  at::Tensor scores = at::bmm(grouped, visible(keys).transpose(1, 2));
  scores.view({rows, kv_heads, slots, group, places}).add_(bias.view({rows, 1, slots, 1, places}));
  const at::Tensor out = at::bmm(at::softmax(scores, -1), visible(values));
  return out.view({rows, kv_heads, slots, group, head_dim}).permute({0, 2, 1, 3, 4}).reshape({rows * slots, -1});
}

at::Tensor block_tokens(const DrafterModel& model, const Ints& anchors, std::int64_t slots) {
  at::Tensor ids = at::full({static_cast<std::int64_t>(anchors.size()), slots}, model.config.mask_token_id, at::kLong);
  ids.select(1, 0).copy_(at::tensor(anchors, at::TensorOptions().dtype(at::kLong)));
  return ids.flatten().to(model.embedding.device());
}

}  // namespace

DraftCache make_draft_cache(const DrafterModel& model, std::int64_t rows, std::int64_t capacity) {
  DraftCache cache;
  cache.lengths.assign(static_cast<std::size_t>(rows), 0);
  cache.capacity = std::max<std::int64_t>(capacity, 1);
  for (std::size_t layer = 0; layer < model.weights.layers.size(); ++layer) {
    for (auto* tensors : {&cache.keys, &cache.values}) {
      tensors->push_back(at::zeros({rows, model.config.kv_heads, cache.capacity, model.config.head_dim},
                                   model.weights.fc.options().requires_grad(false)));
    }
  }
  return cache;
}

void absorb_features(const DrafterModel& model, DraftCache& cache, const at::Tensor& features,
                     const std::vector<std::int64_t>& counts) {
  const at::NoGradGuard no_grad;
  const std::int64_t length = features.size(1);
  DFLASH_CHECK(counts.size() == cache.lengths.size() && features.size(0) == static_cast<std::int64_t>(counts.size()),
               "{} rows of features, {} counts, {} cached rows", features.size(0), counts.size(), cache.lengths.size());
  DFLASH_CHECK(*std::max_element(counts.begin(), counts.end()) <= length, "counts beyond {} features", length);
  reserve(cache, longest(cache) + length);
  const at::Tensor context = context_features(model.config, model.weights, {{}, features.flatten(0, 1)});
  const at::Tensor positions = next_positions(to_tensor(cache.lengths, features), length);
  const at::Tensor places = cache_places(cache, positions);
  const RotaryTable rotary = rotary_table(positions.flatten(), model.config.head_dim, model.config.rope_theta,
                                          rotary_type(context.scalar_type()));
  for (std::size_t layer = 0; layer < cache.keys.size(); ++layer) {
    const KeyValue entries = project_key_value(model.config, model.weights.layers[layer], context, rotary);
    write(cache.keys[layer], places, entries.key);
    write(cache.values[layer], places, entries.value);
  }
  for (std::size_t row = 0; row < counts.size(); ++row) {
    cache.lengths[row] += counts[row];
  }
}

at::Tensor draft_blocks(const DrafterModel& model, DraftCache& cache, const std::vector<std::int64_t>& anchors,
                        const std::vector<std::int64_t>& sizes) {
  const at::NoGradGuard no_grad;
  DFLASH_CHECK(anchors.size() == cache.lengths.size() && sizes.size() == anchors.size(),
               "{} anchors, {} sizes, {} cached rows", anchors.size(), sizes.size(), cache.lengths.size());
  const auto rows = static_cast<std::int64_t>(anchors.size());
  const std::int64_t slots = *std::max_element(sizes.begin(), sizes.end());
  const std::int64_t places = longest(cache) + slots;
  reserve(cache, places);
  const DrafterConfig& config = model.config;
  at::Tensor hidden = model.embedding.index_select(0, block_tokens(model, anchors, slots)).to(model.weights.fc.dtype());
  const at::Tensor lengths = to_tensor(cache.lengths, hidden);
  const at::Tensor positions = next_positions(lengths, slots);
  const at::Tensor written = cache_places(cache, positions);
  const RotaryTable rotary =
      rotary_table(positions.flatten(), config.head_dim, config.rope_theta, rotary_type(hidden.scalar_type()));
  const auto bias = [&](LayerKind kind) {
    return block_bias(visibility_rule(config, kind), lengths, to_tensor(sizes, hidden), slots, places,
                      hidden.scalar_type());
  };
  const at::Tensor full = bias(LayerKind::kFull);
  const at::Tensor sliding = config.has(LayerKind::kSliding) ? bias(LayerKind::kSliding) : full;
  for (std::size_t index = 0; index < cache.keys.size(); ++index) {
    const DrafterLayerWeights& layer = model.weights.layers[index];
    const at::Tensor normed = rms_norm(hidden, layer.input_layernorm, config.rms_norm_eps);
    const KeyValue own = project_key_value(config, layer, normed, rotary);
    write(cache.keys[index], written, own.key);
    write(cache.values[index], written, own.value);
    const at::Tensor attended =
        attend_cache(project_query(config, layer, normed, rotary), cache.keys[index], cache.values[index],
                     config.layer_types[index] == LayerKind::kFull ? full : sliding);
    hidden = finish_layer(config, layer, hidden, attended);
  }
  return rms_norm(hidden, model.weights.norm, config.rms_norm_eps).view({rows, slots, config.hidden});
}

void keep_rows(DraftCache& cache, const std::vector<std::int64_t>& rows) {
  const at::Tensor index = to_tensor(rows, cache.keys.front());
  for (auto* tensors : {&cache.keys, &cache.values}) {
    for (at::Tensor& tensor : *tensors) {
      tensor = tensor.index_select(0, index);
    }
  }
  Ints lengths;
  for (const auto row : rows) {
    lengths.push_back(cache.lengths[static_cast<std::size_t>(row)]);
  }
  cache.lengths = std::move(lengths);
}

}  // namespace dflash
