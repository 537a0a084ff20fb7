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

/// Adds the seconds that it lives to a sum.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_{sum} {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() { sum_ += seconds_between(begun_, Clock::now()); }

 private:
  double& sum_;
  Clock::time_point begun_ = Clock::now();
};

/// One batch of prompts on its way through both models.
class Speculation {
 public:
  Speculation(BatchTarget& target, BatchDrafter& drafter, DecodeRows& rows, const AnswerOptions& options)
      : target_{target}, drafter_{drafter}, rows_{rows}, options_{options} {}

  /// Brings both models to the newly settled tokens, then drops the rows whose answers have ended.
  void settle(const at::Tensor& features, const std::vector<std::int64_t>& counts) {
    const std::vector<std::int64_t> lengths = rows_.last_positions();
    const std::vector<std::int64_t> staying = rows_.drop_finished();
    if (staying.empty()) {
      return;
    }
    target_.crop(lengths);
    drafter_.absorb(features, counts);
    if (staying.size() < lengths.size()) {
      target_.keep(staying);
      drafter_.keep(staying);
    }
  }

  void draft_and_verify() {
    const std::vector<std::int64_t> sizes = rows_.block_sizes();
    const at::Tensor drafts = draft(sizes);
    const at::Tensor block = at::cat({column(rows_.last_tokens()).to(drafts.device()), drafts}, 1);
    TargetReadout readout;
    at::Tensor chosen;
    {
      const Stopwatch watch{verify_seconds};
      readout = target_.extend(block);
      chosen = choose_tokens(readout.logits, options_.choice, rows_.prompts(), rows_.next_positions());
    }
    const std::vector<std::int64_t> counts = rows_.add_rounds(drafts, chosen, sizes);
    const Stopwatch watch{draft_seconds};
    settle(readout.features, counts);
  }

  double draft_seconds = 0.0;
  double verify_seconds = 0.0;

 private:
  at::Tensor draft(const std::vector<std::int64_t>& sizes) {
    const Stopwatch watch{draft_seconds};
    const at::Tensor drafts = drafter_.draft(rows_.last_tokens(), sizes);
    return options_.times_phases ? drafts.cpu() : drafts;
  }

  BatchTarget& target_;
  BatchDrafter& drafter_;
  DecodeRows& rows_;
  const AnswerOptions& options_;
};

}  // namespace

std::int64_t DecodedBatch::tokens() const {
  std::int64_t sum = 0;
  for (const DecodedAnswer& answer : answers) {
    sum += static_cast<std::int64_t>(answer.tokens.size()) - 1;
  }
  return sum;
}

std::int64_t DecodedBatch::rounds() const {
  std::int64_t sum = 0;
  for (const DecodedAnswer& answer : answers) {
    sum += static_cast<std::int64_t>(answer.rounds.size());
  }
  return sum;
}

double DecodedBatch::tokens_per_second() const {
  return decode_seconds > 0.0 ? static_cast<double>(tokens()) / decode_seconds : 0.0;
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
  Speculation speculation{target, drafter, rows, options};
  speculation.settle(readout.features, limits_of(prompts, options).prompt_lengths);
  while (!rows.empty()) {
    options.before_round(std::ssize(rows.prompts()));
    speculation.draft_and_verify();
  }
  const auto ended = Clock::now();
  return {.answers = rows.take_answers(),
          .prefill_seconds = seconds_between(begun, prefilled),
          .decode_seconds = seconds_between(prefilled, ended),
          .draft_seconds = speculation.draft_seconds,
          .verify_seconds = speculation.verify_seconds};
}

DecodedBatch plain_decode(BatchTarget& target, const std::vector<std::vector<std::int64_t>>& prompts,
                          const AnswerOptions& options) {
  const at::NoGradGuard no_grad;
  DecodeRows rows(limits_of(prompts, options));
  const auto begun = Clock::now();
  at::Tensor logits = target.prefill(prompts).logits;
  const auto prefilled = Clock::now();
  while (!rows.empty()) {
    options.before_round(std::ssize(rows.prompts()));
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
