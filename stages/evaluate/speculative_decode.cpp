// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/speculative_decode.h"

#include <algorithm>
#include <chrono>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "framework/core/error.h"
#include "stages/evaluate/decode_rows.h"

namespace dflash {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

at::Tensor column(const std::vector<std::int64_t>& values) { return at::tensor(values, at::kLong).unsqueeze(1); }

DecodeLimits limits_of(const std::vector<std::vector<std::int64_t>>& prompts, const AnswerOptions& options) {
  DecodeLimits limits{.prompt_lengths = {},
                      .new_tokens = std::vector<std::int64_t>(prompts.size(), options.new_tokens),
                      .stop_ids = options.stop_ids,
                      .block_size = options.block_size};
  std::transform(prompts.begin(), prompts.end(), std::back_inserter(limits.prompt_lengths),
                 [](const auto& prompt) { return static_cast<std::int64_t>(prompt.size()); });
  return limits;
}

/// Brings both models to the newly settled tokens, then drops the rows whose answers have ended.
void settle(BatchTarget& target, BatchDrafter& drafter, DecodeRows& rows, const at::Tensor& features,
            const std::vector<std::int64_t>& counts) {
  const std::vector<std::int64_t> lengths = rows.last_positions();
  const std::vector<std::int64_t> staying = rows.drop_finished();
  if (staying.empty()) {
    return;
  }
  target.crop(lengths);
  drafter.absorb(features, counts);
  if (staying.size() < lengths.size()) {
    target.keep(staying);
    drafter.keep(staying);
  }
}

void draft_and_verify(BatchTarget& target, BatchDrafter& drafter, DecodeRows& rows, const SamplingOptions& choice) {
  const std::vector<std::int64_t> sizes = rows.block_sizes();
  const std::vector<std::int64_t> anchors = rows.last_tokens();
  const at::Tensor drafts = drafter.draft(anchors, sizes);
  const at::Tensor block = at::cat({column(anchors).to(drafts.device()), drafts}, 1);
  const TargetReadout readout = target.extend(block);
  const at::Tensor chosen = choose_tokens(readout.logits, choice, rows.prompts(), rows.next_positions());
  settle(target, drafter, rows, readout.features, rows.add_rounds(drafts, chosen, sizes));
}

}  // namespace

double DecodedBatch::tokens_per_second() const {
  std::int64_t tokens = 0;
  for (const DecodedAnswer& answer : answers) {
    tokens += static_cast<std::int64_t>(answer.tokens.size()) - 1;
  }
  return decode_seconds > 0.0 ? static_cast<double>(tokens) / decode_seconds : 0.0;
}

DecodedBatch speculative_decode(BatchTarget& target, BatchDrafter& drafter,
                                const std::vector<std::vector<std::int64_t>>& prompts, const AnswerOptions& options) {
  DFLASH_CHECK(options.block_size >= 2, "block_size is {}", options.block_size);
  const at::NoGradGuard no_grad;
  DecodeRows rows(limits_of(prompts, options));
  const auto begun = Clock::now();
  const TargetReadout readout = target.prefill(prompts);
  rows.add_tokens(choose_tokens(readout.logits, options.choice, rows.prompts(), rows.next_positions()));
  const auto prefilled = Clock::now();
  settle(target, drafter, rows, readout.features, limits_of(prompts, options).prompt_lengths);
  while (!rows.empty()) {
    options.before_round();
    draft_and_verify(target, drafter, rows, options.choice);
  }
  const auto ended = Clock::now();
  return {.answers = rows.take_answers(),
          .prefill_seconds = seconds_between(begun, prefilled),
          .decode_seconds = seconds_between(prefilled, ended)};
}

DecodedBatch plain_decode(BatchTarget& target, const std::vector<std::vector<std::int64_t>>& prompts,
                          const AnswerOptions& options) {
  const at::NoGradGuard no_grad;
  DecodeRows rows(limits_of(prompts, options));
  const auto begun = Clock::now();
  at::Tensor logits = target.prefill(prompts).logits;
  const auto prefilled = Clock::now();
  while (!rows.empty()) {
    options.before_round();
    rows.add_tokens(choose_tokens(logits, options.choice, rows.prompts(), rows.next_positions()));
    const std::size_t before = rows.prompts().size();
    const std::vector<std::int64_t> staying = rows.drop_finished();
    if (staying.empty()) {
      break;
    }
    if (staying.size() < before) {
      target.keep(staying);
    }
    logits = target.extend(column(rows.last_tokens())).logits;
  }
  const auto ended = Clock::now();
  return {.answers = rows.take_answers(),
          .prefill_seconds = seconds_between(begun, prefilled),
          .decode_seconds = seconds_between(prefilled, ended)};
}

}  // namespace dflash
