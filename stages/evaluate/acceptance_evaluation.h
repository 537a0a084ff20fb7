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
#include "stages/evaluate/speculative_decode.h"

namespace dflash {

/// Makes the two sides of a decode loop, each with empty caches.
struct DecodeModels {
  std::function<std::unique_ptr<BatchTarget>(bool taps)> target;  // without taps: no features in its readouts
  std::function<std::unique_ptr<BatchDrafter>()> drafter;
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
      nullptr;      // if given: overlap, and the acceptance length on the half of lower overlap
  int threads = 1;  // intra-op, while the evaluation runs
  std::function<void()> before_round = [] {};  // of decoding and replay; may throw, to end the evaluation
};

/// Acceptance lengths of a drafter on held-out prompts. Absent: not measured.
struct AcceptanceReport {
  std::int64_t block_size = 0;
  std::int64_t new_tokens = 0;
  DecodedBatch greedy_answers;
  AcceptanceStatistics greedy;
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
  std::optional<std::int64_t> equal_to_plain;  // how many answers are, token by token
  std::optional<OverlapReport> overlap;
  double distinct_ngrams = 0.0;  // mean over the greedy answers
  double seconds = 0.0;          // of the whole evaluation
};

/// Decodes all prompts as one batch and measures what `options` ask for.
AcceptanceReport evaluate_acceptance(const DecodeModels& models, const std::vector<std::vector<std::int64_t>>& prompts,
                                     const AcceptanceOptions& options);

/// Returns the report without its answers. `tau` is the headline: greedy, pooled. Keys that were not measured are left
/// out: {tau, tau_of_prompts, accepted_drafts, slot_acceptance, prompts, rounds, tokens, block_size, new_tokens,
///  lower_overlap {tau, prompts}, sampled {temperature, tau}, replay {tau}, plain_tokens_per_s,
///  speculative_tokens_per_s, equal_to_plain, overlap {distinct_8grams, in_training}, seconds}
Json to_json(const AcceptanceReport& report);

}  // namespace dflash
