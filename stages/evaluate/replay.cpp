// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/replay.h"

#include <algorithm>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "framework/core/error.h"
#include "stages/evaluate/decode_rows.h"

namespace dflash {
namespace {

DecodeLimits limits_of(const std::vector<StoredAnswer>& documents, std::int64_t block_size) {
  DecodeLimits limits{.prompt_lengths = {}, .new_tokens = {}, .stop_ids = {}, .block_size = block_size};
  for (const StoredAnswer& document : documents) {
    limits.prompt_lengths.push_back(document.prompt_length);
    limits.new_tokens.push_back(static_cast<std::int64_t>(document.tokens.size()) - document.prompt_length);
  }
  return limits;
}

/// The documents' tokens, padded with -1: no draft equals the padding.
at::Tensor padded_tokens(const std::vector<StoredAnswer>& documents) {
  std::size_t longest = 0;
  for (const StoredAnswer& document : documents) {
    longest = std::max(longest, document.tokens.size());
  }
  const auto rows = static_cast<std::int64_t>(documents.size());
  at::Tensor padded = at::full({rows, static_cast<std::int64_t>(longest)}, -1, at::kLong);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::vector<std::int64_t>& tokens = documents[static_cast<std::size_t>(row)].tokens;
    std::copy(tokens.begin(), tokens.end(), padded[row].data_ptr<std::int64_t>());
  }
  return padded;
}

/// values[documents[r], begins[r] .. begins[r] + width), behind the end the last column again: [rows, width, ...].
at::Tensor windows(const at::Tensor& values, const std::vector<std::int64_t>& documents,
                   const std::vector<std::int64_t>& begins, std::int64_t width) {
  const auto device = values.device();
  const at::Tensor columns =
      (at::tensor(begins, at::kLong).unsqueeze(1) + at::arange(width)).clamp_max(values.size(1) - 1);
  const at::Tensor rows = at::tensor(documents, at::kLong).unsqueeze(1).expand_as(columns);
  return values.index({rows.to(device), columns.to(device)});
}

std::vector<std::vector<std::int64_t>> tokens_of(const std::vector<StoredAnswer>& documents) {
  std::vector<std::vector<std::int64_t>> tokens;
  std::transform(documents.begin(), documents.end(), std::back_inserter(tokens),
                 [](const StoredAnswer& document) { return document.tokens; });
  return tokens;
}

}  // namespace

std::vector<std::vector<DecodeRound>> replay(BatchTarget& target, BatchDrafter& drafter,
                                             const std::vector<StoredAnswer>& documents, std::int64_t block_size,
                                             const std::function<void(std::int64_t unfinished)>& before_round) {
  const at::NoGradGuard no_grad;
  DecodeRows rows(limits_of(documents, block_size));
  const at::Tensor stored = padded_tokens(documents);
  const at::Tensor features = target.prefill(tokens_of(documents)).features;
  rows.add_tokens(windows(stored, rows.prompts(), rows.next_positions(), 1));
  drafter.absorb(features, limits_of(documents, block_size).prompt_lengths);
  while (true) {
    const std::size_t before = rows.prompts().size();
    before_round(static_cast<std::int64_t>(before));
    const std::vector<std::int64_t> staying = rows.drop_finished();
    if (staying.empty()) {
      break;
    }
    if (staying.size() < before) {
      drafter.keep(staying);
    }
    const std::vector<std::int64_t> begins = rows.last_positions();
    const std::vector<std::int64_t> sizes = rows.block_sizes();
    const at::Tensor drafts = drafter.draft(rows.last_tokens(), sizes);
    const at::Tensor expected = windows(stored, rows.prompts(), rows.next_positions(), drafts.size(1) + 1);
    const std::vector<std::int64_t> emitted = rows.add_rounds(drafts, expected, sizes);
    drafter.absorb(windows(features, rows.prompts(), begins, drafts.size(1) + 1), emitted);
  }
  std::vector<std::vector<DecodeRound>> rounds;
  for (DecodedAnswer& answer : rows.take_answers()) {
    rounds.push_back(std::move(answer.rounds));
  }
  return rounds;
}

}  // namespace dflash
