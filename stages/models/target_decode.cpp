// SPDX-License-Identifier: Apache-2.0
#include "stages/models/target_decode.h"

#include <algorithm>
#include <limits>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "framework/core/error.h"
#include "stages/models/rms_norm.h"
#include "stages/models/rope.h"
#include "stages/models/target.h"
#include "stages/models/target_layer.h"

namespace dflash {
namespace {

/// What all layers share in one call: where the new tokens go and what they see.
struct DecodePlan {
  std::int64_t batch;
  std::int64_t tokens;
  std::int64_t span;       // cached positions that any row may see
  at::Tensor positions;    // [batch, tokens]
  at::Tensor slots;        // [batch * kv_heads * tokens], rows of the flattened cache
  at::Tensor mask;         // [batch, 1, tokens * group, span] (or 1 for the third), 0 where seen, else -inf
  at::Tensor window_mask;  // the same for sliding layers; undefined without
};

at::Tensor on_device(const std::vector<std::int64_t>& values, const at::Tensor& like) {
  return at::tensor(values, at::kLong).to(like.device(), /*non_blocking=*/true);
}

/// A window of 0 is without bound.
at::Tensor make_mask(const DecodePlan& plan, std::int64_t group, std::int64_t window,
                     const at::TensorOptions& options) {
  const at::Tensor places = at::arange(plan.span, plan.positions.options());
  const at::Tensor own = plan.positions.unsqueeze(-1);
  at::Tensor hidden = places.gt(own);  // [batch, tokens, span]
  if (window > 0) {
    hidden.logical_or_(places.le(own - window));
  }
  const at::Tensor mask =
      at::zeros(hidden.sizes(), options).masked_fill_(hidden, -std::numeric_limits<double>::infinity());
  return plan.tokens == 1 ? mask.unsqueeze(1) : mask.repeat_interleave(group, 1).unsqueeze(1);
}

DecodePlan make_plan(const TargetCache& cache, const TargetConfig& config, const at::Tensor& ids) {
  DecodePlan plan{.batch = ids.size(0), .tokens = ids.size(1)};
  plan.span = std::ranges::max(cache.lengths) + plan.tokens;
  const at::Tensor lengths = on_device(cache.lengths, ids);
  plan.positions = lengths.unsqueeze(1) + at::arange(plan.tokens, lengths.options());
  const at::Tensor heads = at::arange(plan.batch * config.num_key_value_heads, lengths.options());
  const at::Tensor first = (heads * cache.max_length()).view({plan.batch, config.num_key_value_heads, 1});
  plan.slots = (first + plan.positions.unsqueeze(1)).flatten();
  const std::int64_t group = config.num_attention_heads / config.num_key_value_heads;
  plan.mask = make_mask(plan, group, 0, cache.keys.front().options());
  if (config.sliding_window > 0) {
    plan.window_mask = make_mask(plan, group, config.sliding_window, cache.keys.front().options());
  }
  return plan;
}

/// [batch * tokens, kv_heads, head_dim] -> into the cache [batch, kv_heads, max_length, head_dim].
void append(at::Tensor& cached, const at::Tensor& fresh, const DecodePlan& plan) {
  const at::Tensor rows = fresh.view({plan.batch, plan.tokens, fresh.size(1), -1}).transpose(1, 2);
  cached.view({-1, fresh.size(2)}).index_copy_(0, plan.slots, rows.reshape({-1, fresh.size(2)}));
}

/// Queries that share a KV head become further query rows of it, so that keys and values are read once and never
/// copied.
at::Tensor attend_cached(const TargetHeads& heads, const at::Tensor& keys, const at::Tensor& values,
                         const at::Tensor& mask, const DecodePlan& plan) {
  const std::int64_t kv_heads = heads.key.size(1);
  const std::int64_t width = heads.key.size(2);
  const std::int64_t group = heads.query.size(1) / kv_heads;
  const at::Tensor query = heads.query.view({plan.batch, plan.tokens, kv_heads, group, width})
                               .permute({0, 2, 1, 3, 4})
                               .reshape({plan.batch, kv_heads, plan.tokens * group, width});
  const at::Tensor attended =
      at::scaled_dot_product_attention(query, keys.narrow(2, 0, plan.span), values.narrow(2, 0, plan.span),
                                       mask.expand({plan.batch, 1, plan.tokens * group, plan.span}));
  return attended.reshape({plan.batch, kv_heads, plan.tokens, group, width})
      .permute({0, 2, 1, 3, 4})
      .reshape({plan.batch * plan.tokens, kv_heads * group * width});
}

void check_room(const TargetCache& cache, const at::Tensor& ids, const std::vector<std::int64_t>& counts) {
  DFLASH_CHECK(ids.dim() == 2 && ids.size(0) == cache.batch() && cache.batch() > 0 && ids.size(1) > 0 &&
                   counts.size() == cache.lengths.size(),
               "ids of {} dimensions, {} counts, {} cached rows", ids.dim(), counts.size(), cache.batch());
  DFLASH_CHECK(std::ranges::min(counts) >= 1 && std::ranges::max(counts) <= ids.size(1),
               "counts from {} to {} of {} tokens", std::ranges::min(counts), std::ranges::max(counts), ids.size(1));
  DFLASH_CHECK(std::ranges::max(cache.lengths) + ids.size(1) <= cache.max_length(),
               "{} tokens behind {} in a cache of {}", ids.size(1), std::ranges::max(cache.lengths),
               cache.max_length());
}

at::Tensor last_rows(const at::Tensor& stream, const DecodePlan& plan, const std::vector<std::int64_t>& counts) {
  std::vector<std::int64_t> rows;
  for (std::size_t row = 0; row < counts.size(); ++row) {
    rows.push_back(static_cast<std::int64_t>(row) * plan.tokens + counts[row] - 1);
  }
  return stream.index_select(0, on_device(rows, stream));
}

}  // namespace

DecodeOutput target_decode(const TargetWeights& weights, const TargetConfig& config, TargetCache& cache,
                           const at::Tensor& ids, const std::vector<std::int64_t>& counts,
                           const DecodeOptions& options) {
  const at::NoGradGuard no_grad;
  check_tap_ids(options.tap_ids, config);
  check_room(cache, ids, counts);
  const DecodePlan plan = make_plan(cache, config, ids);
  const at::ScalarType wide = weights.norm.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const RotaryTable rotary =
      rotary_table(plan.positions.flatten(), config.head_dim, config.rope_theta, wide, config.rope_scaling);
  DecodeOutput output;
  at::Tensor stream = at::embedding(weights.embedding, ids.flatten());
  for (std::size_t index = 0; index < weights.layers.size(); ++index) {
    const bool slides = window_of(config, static_cast<std::int64_t>(index)) > 0;
    stream = target_layer(weights.layers[index], config, stream, rotary, [&](const TargetHeads& heads) {
      append(cache.keys[index], heads.key, plan);
      append(cache.values[index], heads.value, plan);
      return attend_cached(heads, cache.keys[index], cache.values[index], slides ? plan.window_mask : plan.mask, plan);
    });
    if (std::ranges::binary_search(options.tap_ids, static_cast<std::int64_t>(index))) {
      output.taps.push_back(stream.view({plan.batch, plan.tokens, -1}));
    }
  }
  const at::Tensor wanted = options.last_logits_only ? last_rows(stream, plan, counts) : stream;
  const at::Tensor hidden = rms_norm(wanted, weights.norm, config.rms_norm_eps);
  output.logits = target_logits(weights, hidden.view({plan.batch, -1, config.hidden_size}));
  std::ranges::transform(cache.lengths, counts, cache.lengths.begin(), std::plus<>());
  return output;
}

RaggedTokens pad_prompts(const std::vector<std::vector<std::int64_t>>& prompts, at::Device device) {
  RaggedTokens padded;
  for (const auto& prompt : prompts) {
    padded.counts.push_back(static_cast<std::int64_t>(prompt.size()));
  }
  const std::int64_t longest = std::ranges::max(padded.counts);
  at::Tensor ids = at::zeros({static_cast<std::int64_t>(prompts.size()), longest}, at::kLong);
  for (std::size_t row = 0; row < prompts.size(); ++row) {
    std::ranges::copy(prompts[row], ids.data_ptr<std::int64_t>() + static_cast<std::int64_t>(row) * longest);
  }
  padded.ids = ids.to(device);
  return padded;
}

}  // namespace dflash
