// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/json.h"
#include "stages/evaluate/acceptance.h"
#include "stages/evaluate/batch_models.h"
#include "stages/evaluate/ngram_overlap.h"
#include "stages/evaluate/round_cost.h"
#include "stages/evaluate/speculative_decode.h"

namespace dflash {

/// Makes the two sides of a decode loop, each with empty caches.
struct DecodeModels {
  std::function<std::unique_ptr<BatchTarget>(bool taps)> target;  // without taps: no features in its readouts
  std::function<std::unique_ptr<BatchDrafter>()> drafter;
};

/// Where an evaluation stands.
struct EvaluationRound {
  std::string part;       // "drafted"
  std::int64_t done = 0;  // prompts of this part
  std::int64_t prompts = 0;
};

/// What to measure. The greedy acceptance length is always measured.
struct AcceptanceOptions {
  std::int64_t block_size = 0;
  std::int64_t new_tokens = 160;
  std::vector<std::int64_t> stop_ids;
  std::int64_t speed_prompts =
      0;                // above 0: decode the first so many one at a time, plain and drafted, for their speed
  bool plain = false;   // decode the batch by the target alone too, to see whether all answers are equal
  bool replay = false;  // walk over the greedy answers too
  double sampled_temperature = 0.0;  // above 0: decode sampled answers too
  std::uint64_t seed = 0;            // of the sampled answers
  const NgramSet* training_answers =
      nullptr;                         // if given: overlap, and the acceptance length on the half of lower overlap
  std::vector<std::string> tags = {};  // of the prompts; empty: none has one
  int threads = 1;                     // intra-op, while the evaluation runs
  /// Of decoding and replay; may throw, to end the evaluation.
  std::function<void(const EvaluationRound&)> before_round = [](const EvaluationRound&) {};
};

/// The prompts that carry one tag.
struct TagAcceptance {
  std::string tag;  // empty: the prompts without one
  AcceptanceStatistics greedy;
};

/// The rounds that stand behind about as many tokens, prompt included.
struct ContextAcceptance {
  std::int64_t behind = 0;  // at least so many: 0, 64, 128, 256, ...
  std::int64_t rounds = 0;
  std::int64_t tokens = 0;  // that they emitted
};

/// An answer that is not that of plain greedy decoding. In bf16 a block and a single token round otherwise, and
/// near-ties fall otherwise.
struct FirstDifference {
  std::int64_t prompt = 0;
  std::int64_t token = 0;  // of the answer, from 0
};

/// Acceptance lengths of a drafter on held-out prompts. Absent: not measured.
struct AcceptanceReport {
  std::int64_t block_size = 0;
  std::int64_t new_tokens = 0;
  DecodedBatch greedy_answers;
  AcceptanceStatistics greedy;
  std::vector<TagAcceptance> tags;          // by name; empty where no prompt has one
  std::vector<ContextAcceptance> contexts;  // ascending; those that have a round
  std::optional<AcceptanceStatistics> lower_overlap;
  std::optional<AcceptanceStatistics> sampled;
  double sampled_temperature = 0.0;
  std::optional<AcceptanceStatistics> replay;
  /// Tokens a second after the prefill.
  struct Speed {
    double plain = 0.0;
    double speculative = 0.0;
  };
  std::optional<Speed> speed;  // one prompt at a time, as one user would see it
  std::optional<Speed>
      batch_speed;  // all prompts as one batch, where verifying a block costs nearly what its tokens cost
  std::optional<RoundCost> cost;
  std::optional<std::int64_t> equal_to_plain;      // how many answers are, token by token
  std::vector<FirstDifference> first_differences;  // of those that are not
  std::optional<OverlapReport> overlap;
  double distinct_ngrams = 0.0;  // mean over the greedy answers
  double seconds = 0.0;          // of the whole evaluation
};

/// Decodes all prompts as one batch and measures what `options` ask for.
AcceptanceReport evaluate_acceptance(const DecodeModels& models, const std::vector<std::vector<std::int64_t>>& prompts,
                                     const AcceptanceOptions& options);

/// Returns the report without its answers. `tau` is the headline: greedy, pooled. Keys that were not measured are left
/// out: {tau, tau_of_prompts, accepted_drafts, slot_acceptance, slots [{slot, offered, reached, accepted, marginal,
/// conditional}], prompts, rounds, tokens, block_size, new_tokens, tags [{tag, tau, tau_of_prompts, accepted_drafts,
/// prompts, rounds}], contexts [{behind, rounds, tau}], lower_overlap {tau, prompts}, sampled {temperature, tau},
/// replay {tau}, plain_tokens_per_s, speculative_tokens_per_s, cost {batch, context, draft_ms, verify_ms, plain_ms,
/// speedup}, warnings, batch {plain_tokens_per_s, speculative_tokens_per_s}, equal_to_plain, first_differences
/// [{prompt, token}], overlap {distinct_8grams, in_training}, seconds}
Json to_json(const AcceptanceReport& report);

}  // namespace dflash
