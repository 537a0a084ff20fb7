// SPDX-License-Identifier: Apache-2.0
#include "stages/models/attention_sliced.h"

#include <cmath>

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>

namespace dflash {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kKeepBytes = std::int64_t{256}
                                    << 20;  // probabilities of one layer that are kept for the backward pass

/// Places of one slice: rows of the block tensors, keys of the context tensors.
struct Span {
  std::int64_t row, rows;
  std::int64_t key, keys;
};

std::vector<Span> spans_of(const std::vector<BlockSlice>& slices, std::int64_t block_size) {
  std::vector<Span> spans;
  spans.reserve(slices.size());
  for (const auto& slice : slices) {
    spans.push_back({slice.block_begin * block_size, (slice.block_end - slice.block_begin) * block_size,
                     slice.key_begin, slice.key_end - slice.key_begin});
  }
  return spans;
}

/// [rows, heads, head_dim] to [kv_heads, rows * group, head_dim], so that the query heads of a key head share one
/// product.
at::Tensor group_heads(const at::Tensor& rows, std::int64_t kv_heads) {
  const std::int64_t group = rows.size(1) / kv_heads;
  return rows.unflatten(1, {kv_heads, group}).permute({1, 0, 2, 3}).reshape({kv_heads, -1, rows.size(2)});
}

/// The inverse of `group_heads`, flattened to [rows, heads * head_dim].
at::Tensor ungroup_heads(const at::Tensor& grouped, std::int64_t group) {
  return grouped.unflatten(1, {-1, group}).permute({1, 0, 2, 3}).reshape({grouped.size(1) / group, -1});
}

/// Keys (or values) of a slice, context first: [kv_heads, keys + rows, head_dim].
at::Tensor slice_keys(const at::Tensor& context, const at::Tensor& block, const Span& span) {
  return at::cat({context.narrow(0, span.key, span.keys), block.narrow(0, span.row, span.rows)}).transpose(0, 1);
}

at::Tensor slice_probabilities(const at::Tensor& query, const at::Tensor& key, const at::Tensor& bias) {
  at::Tensor scores = at::bmm(query, key.transpose(1, 2));
  scores.unflatten(1, {bias.size(0), -1}).add_(bias.unsqueeze(1));
  return at::softmax(scores, -1);
}

/// Gradients of keys (or values) while slices add to them.
struct KeyGradient {
  at::Tensor context;
  at::Tensor block;
  void add(const at::Tensor& slice, const Span& span) {
    const at::Tensor rows = slice.transpose(0, 1);
    context.narrow(0, span.key, span.keys).add_(rows.narrow(0, 0, span.keys));
    block.narrow(0, span.row, span.rows).copy_(rows.narrow(0, span.keys, span.rows));
  }
};

class SlicedAttention : public torch::autograd::Function<SlicedAttention> {
 public:
  // Autograd follows only tensors that are arguments themselves. NOLINTNEXTLINE(readability-function-size)
  static at::Tensor forward(AutogradContext* context, const at::Tensor& query, const at::Tensor& context_key,
                            const at::Tensor& context_value, const at::Tensor& block_key, const at::Tensor& block_value,
                            const std::vector<BlockSlice>& slices, std::int64_t block_size) {
    const std::int64_t kv_heads = block_key.size(1);
    const std::int64_t group = query.size(1) / kv_heads;
    const at::Tensor grouped = group_heads(query, kv_heads) / std::sqrt(static_cast<double>(query.size(2)));
    at::Tensor out = at::empty_like(grouped);
    variable_list saved{grouped, context_key, context_value, block_key, block_value};
    const auto spans = spans_of(slices, block_size);
    const bool keep = keeps_probabilities(spans, group * kv_heads, grouped.element_size());
    for (std::size_t i = 0; i < spans.size(); ++i) {
      const at::Tensor rows = grouped.narrow(1, spans[i].row * group, spans[i].rows * group);
      const at::Tensor weights =
          slice_probabilities(rows, slice_keys(context_key, block_key, spans[i]), slices[i].bias);
      at::Tensor part = out.narrow(1, spans[i].row * group, spans[i].rows * group);
      at::bmm_out(part, weights, slice_keys(context_value, block_value, spans[i]));
      saved.push_back(keep ? weights : slices[i].bias);
    }
    context->save_for_backward(std::move(saved));
    save_spans(context, spans, keep);
    return ungroup_heads(out, group);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor& query = saved[0];
    const std::int64_t kv_heads = saved[3].size(1);
    const std::int64_t group = query.size(1) / saved[3].size(0);
    const bool kept = context->saved_data["kept"].toBool();
    const auto spans = load_spans(context);
    const at::Tensor out = group_heads(gradients[0].unflatten(1, {kv_heads * group, -1}), kv_heads);
    at::Tensor query_gradient = at::empty_like(query);
    KeyGradient key{at::zeros_like(saved[1]), at::empty_like(saved[3])};
    KeyGradient value{at::zeros_like(saved[2]), at::empty_like(saved[4])};
    for (std::size_t i = 0; i < spans.size(); ++i) {
      const Span& span = spans[i];
      const at::Tensor rows = query.narrow(1, span.row * group, span.rows * group);
      const at::Tensor out_rows = out.narrow(1, span.row * group, span.rows * group);
      const at::Tensor keys = slice_keys(saved[1], saved[3], span);
      const at::Tensor weights = kept ? saved[5 + i] : slice_probabilities(rows, keys, saved[5 + i]);
      value.add(at::bmm(weights.transpose(1, 2), out_rows), span);
      const at::Tensor weights_gradient = at::bmm(out_rows, slice_keys(saved[2], saved[4], span).transpose(1, 2));
      const at::Tensor scores = at::_softmax_backward_data(weights_gradient, weights, -1, weights.scalar_type());
      at::Tensor part = query_gradient.narrow(1, span.row * group, span.rows * group);
      at::bmm_out(part, scores, keys);
      key.add(at::bmm(scores.transpose(1, 2), rows), span);
    }
    query_gradient.div_(std::sqrt(static_cast<double>(query.size(2))));
    return {ungroup_heads(query_gradient, group).unflatten(1, {kv_heads * group, -1}),
            key.context,
            value.context,
            key.block,
            value.block,
            at::Tensor(),
            at::Tensor()};
  }

 private:
  static bool keeps_probabilities(const std::vector<Span>& spans, std::int64_t heads, std::size_t element) {
    std::int64_t bytes = 0;
    for (const auto& span : spans) {
      bytes += heads * span.rows * (span.keys + span.rows) * static_cast<std::int64_t>(element);
    }
    return bytes <= kKeepBytes;
  }

  static void save_spans(AutogradContext* context, const std::vector<Span>& spans, bool kept) {
    std::vector<std::int64_t> flat;
    for (const auto& span : spans) {
      flat.insert(flat.end(), {span.row, span.rows, span.key, span.keys});
    }
    context->saved_data["spans"] = flat;
    context->saved_data["kept"] = kept;
  }

  static std::vector<Span> load_spans(AutogradContext* context) {
    const auto flat = context->saved_data["spans"].toIntVector();
    std::vector<Span> spans;
    for (std::size_t i = 0; i < flat.size(); i += 4) {
      spans.push_back({flat[i], flat[i + 1], flat[i + 2], flat[i + 3]});
    }
    return spans;
  }
};

}  // namespace

at::Tensor attention_sliced(const AttentionInput& input, const std::vector<BlockSlice>& slices,
                            std::int64_t block_size) {
  return SlicedAttention::apply(input.query, input.context_key, input.context_value, input.block_key, input.block_value,
                                slices, block_size);
}

}  // namespace dflash
