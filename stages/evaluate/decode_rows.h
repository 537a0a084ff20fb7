// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "stages/evaluate/speculative_decode.h"

namespace dflash {

/// Where a row begins and when it ends.
struct DecodeLimits {
  std::vector<std::int64_t> prompt_lengths;
  std::vector<std::int64_t> new_tokens;  // per prompt: the most that its answer has, at least 1
  std::vector<std::int64_t> stop_ids;
  std::int64_t block_size = 0;  // anchor included
};

/// The prompts of a batch that are still being answered, in the order of the models' rows, and what all have answered
/// so far.
class DecodeRows {
 public:
  explicit DecodeRows(DecodeLimits limits);

  [[nodiscard]] bool empty() const { return active_.empty(); }
  /// Indices of the prompts of the active rows.
  [[nodiscard]] const std::vector<std::int64_t>& prompts() const { return active_; }
  /// The last token of each active row.
  [[nodiscard]] std::vector<std::int64_t> last_tokens() const;
  /// The position of that last token; equal to the number of tokens before it.
  [[nodiscard]] std::vector<std::int64_t> last_positions() const;
  /// One past each row's last position: where the next token goes.
  [[nodiscard]] std::vector<std::int64_t> next_positions() const;
  /// The block that still fits, anchor included: min(block size, limit - last position).
  [[nodiscard]] std::vector<std::int64_t> block_sizes() const;

  /// Adds one token per active row, outside any round: the prefill's, or one of plain decoding. `tokens`: [rows, 1]
  /// int64.
  void add_tokens(const at::Tensor& tokens);
  /// Adds a round per active row: the longest prefix of `drafts` ([rows, block - 1]) that equals `chosen` ([rows,
  /// block]), then the next of `chosen`; cut at limit and stop token. `sizes`: the rows' block sizes. Returns what each
  /// row emitted.
  std::vector<std::int64_t> add_rounds(const at::Tensor& drafts, const at::Tensor& chosen,
                                       const std::vector<std::int64_t>& sizes);
  /// Forgets the rows whose answers have ended. Returns the rows that stay, by their former indices.
  std::vector<std::int64_t> drop_finished();

  std::vector<DecodedAnswer> take_answers() { return std::move(answers_); }

 private:
  [[nodiscard]] bool stops(std::int64_t token) const;
  [[nodiscard]] std::int64_t room(std::int64_t prompt) const;
  DecodeRound accept(std::int64_t prompt, const std::int64_t* drafts, const std::int64_t* chosen, std::int64_t size);

  DecodeLimits limits_;
  std::vector<std::int64_t> active_;
  std::vector<DecodedAnswer> answers_;
};

}  // namespace dflash
