// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "stages/evaluate/acceptance.h"
#include "stages/evaluate/batch_models.h"
#include "stages/evaluate/token_choice.h"

namespace dflash {

/// When a prompt's answer ends, and how its tokens are chosen.
struct AnswerOptions {
  std::int64_t new_tokens = 160;       // the most that an answer has, the prefill's token included
  std::vector<std::int64_t> stop_ids;  // an answer ends with the first of these, which belongs to it
  std::int64_t block_size = 0;         // anchor included; only for speculative decoding
  SamplingOptions choice;
  /// Gets the number of answers that are not at their end; may throw, to end the decoding.
  std::function<void(std::int64_t unfinished)> before_round = [](std::int64_t) {};
  /// Wait for the drafts before the target gets them, so that `draft_seconds` and `verify_seconds` are told apart on a
  /// device too.
  bool times_phases = false;
};

/// An answer: the prefill's token, then the tokens of the rounds.
struct DecodedAnswer {
  std::vector<std::int64_t> tokens;
  std::vector<DecodeRound> rounds;  // empty in plain decoding
};

struct DecodedBatch {
  std::vector<DecodedAnswer> answers;  // one per prompt
  double prefill_seconds = 0.0;
  double decode_seconds = 0.0;  // after the prefill
  double draft_seconds = 0.0;   // of it the drafter's: proposing, and absorbing what was accepted
  double verify_seconds = 0.0;  // of it the target's; both 0 in plain decoding

  [[nodiscard]] std::int64_t tokens() const;  // that decoding (not the prefill) added, over all prompts
  [[nodiscard]] std::int64_t rounds() const;  // over all prompts
  /// Tokens that decoding (not the prefill) added, over all prompts, per second.
  [[nodiscard]] double tokens_per_second() const;
};

/// Decodes all prompts as one batch: the drafter proposes a block behind each answer's last token, the target verifies
/// all of it in one pass, equal tokens are kept and the target's next one added (paper section 4; z-lab's
/// `dflash_generate`). Prompts advance unevenly; one that has ended leaves the batch. The drafter always proposes its
/// most likely tokens; the target chooses by `options.choice`, so that the answers are those of `plain_decode`, greedy
/// or sampled.
///
/// As in z-lab's loop the last block of a prompt shrinks to what still fits, its tokens are cut at the limit, and a
/// round ends with the first stop token.
DecodedBatch speculative_decode(BatchTarget& target, BatchDrafter& drafter,
                                const std::vector<std::vector<std::int64_t>>& prompts, const AnswerOptions& options);

/// Decodes all prompts as one batch by the target alone, one token a pass.
DecodedBatch plain_decode(BatchTarget& target, const std::vector<std::vector<std::int64_t>>& prompts,
                          const AnswerOptions& options);

}  // namespace dflash
