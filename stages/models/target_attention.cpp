// SPDX-License-Identifier: Apache-2.0
#include "stages/models/target_attention.h"

#include <algorithm>
#include <optional>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "framework/core/error.h"
#include "stages/models/device_copy.h"

namespace dflash {
namespace {

std::vector<std::int64_t> lengths_of(const std::vector<std::int64_t>& starts) {
  std::vector<std::int64_t> lengths;
  for (std::size_t document = 0; document + 1 < starts.size(); ++document) {
    lengths.push_back(starts[document + 1] - starts[document]);
  }
  return lengths;
}

/// [rows, heads, head_dim] -> [rows, heads * head_dim] with zeros for the padding.
at::Tensor with_padding(const at::Tensor& attended, std::int64_t rows) {
  const at::Tensor flat = attended.flatten(1);
  return rows == flat.size(0) ? flat : at::constant_pad_nd(flat, {0, 0, 0, rows - flat.size(0)});
}

/// [length, length], true where the query of a row sees the key of a column.
at::Tensor window_mask(std::int64_t length, std::int64_t window, at::Device device) {
  const at::Tensor rows = at::arange(length, at::TensorOptions().dtype(at::kLong).device(device));
  const at::Tensor distance = rows.unsqueeze(1) - rows;
  return distance.ge(0).logical_and_(distance.lt(window));
}

at::Tensor attend_each(const TargetHeads& heads, const std::vector<std::int64_t>& lengths, std::int64_t covered,
                       std::int64_t window) {
  const auto split = [&](const at::Tensor& x) { return x.narrow(0, 0, covered).split_with_sizes(lengths); };
  const auto queries = split(heads.query);
  const auto keys = split(heads.key);
  const auto values = split(heads.value);
  const auto batch = [](const at::Tensor& x) { return x.transpose(0, 1).unsqueeze(0); };
  std::vector<at::Tensor> attended;
  attended.reserve(lengths.size());
  for (std::size_t document = 0; document < lengths.size(); ++document) {
    const bool cut = window > 0 && lengths[document] > window;
    std::optional<at::Tensor> mask;
    if (cut) {
      mask = window_mask(lengths[document], window, heads.query.device());
    }
    attended.push_back(at::scaled_dot_product_attention(batch(queries[document]), batch(keys[document]),
                                                        batch(values[document]), mask, 0.0, /*is_causal=*/!cut, {},
                                                        /*enable_gqa=*/true)
                           .squeeze(0)
                           .transpose(0, 1));
  }
  return at::cat(attended);
}

/// The variable-length kernels that LibTorch carries: flash for 16-bit types, memory-efficient (without grouped heads)
/// for fp32. Both read the documents' bounds from the device. The latter's gradient knows no windows.
at::Tensor attend_varlen(const TargetHeads& heads, const at::Tensor& starts, std::int64_t longest, std::int64_t covered,
                         std::int64_t window) {
  const at::Tensor query = heads.query.narrow(0, 0, covered);
  const at::Tensor key = heads.key.narrow(0, 0, covered);
  const at::Tensor value = heads.value.narrow(0, 0, covered);
  if (query.element_size() == 2) {
    const std::optional<std::int64_t> before = window > 0 ? std::optional{window - 1} : std::nullopt;
    return std::get<0>(at::_flash_attention_forward(query, key, value, starts, starts, longest, longest, 0.0,
                                                    /*is_causal=*/true, /*return_debug_mask=*/false, /*scale=*/{},
                                                    before));
  }
  const std::int64_t group = query.size(1) / key.size(1);
  const auto batch = [&](const at::Tensor& x) { return x.repeat_interleave(group, 1).unsqueeze(0); };
  constexpr std::int64_t kCausalFromTopLeft = 1;
  return std::get<0>(at::_efficient_attention_forward(query.unsqueeze(0), batch(key), batch(value), {}, starts, starts,
                                                      longest, longest, 0.0, kCausalFromTopLeft,
                                                      /*compute_log_sumexp=*/at::GradMode::is_enabled()))
      .squeeze(0);
}

}  // namespace

TargetAttention document_causal_attention(const std::vector<std::int64_t>& document_starts, at::Device device,
                                          std::int64_t window) {
  DFLASH_CHECK(document_starts.size() >= 2 && document_starts.front() == 0 && window >= 0 &&
                   std::ranges::adjacent_find(document_starts, std::greater_equal<>()) == document_starts.end(),
               "{} document starts, first {}, window {}", document_starts.size(),
               document_starts.empty() ? -1 : document_starts.front(), window);
  const std::int64_t covered = document_starts.back();
  const std::vector<std::int64_t> lengths = lengths_of(document_starts);
  const auto each = [=](const TargetHeads& heads) {
    return with_padding(attend_each(heads, lengths, covered, window), heads.query.size(0));
  };
  if (!device.is_cuda()) {
    return each;
  }
  const at::Tensor starts = to_device(at::tensor(document_starts, at::kInt), device);
  const std::int64_t longest = std::ranges::max(lengths);
  return [=](const TargetHeads& heads) {
    const bool is_wide = heads.query.element_size() > 2;
    return window > 0 && is_wide
               ? each(heads)
               : with_padding(attend_varlen(heads, starts, longest, covered, window), heads.query.size(0));
  };
}

}  // namespace dflash
