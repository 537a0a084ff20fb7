// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "stages/models/sample_tokens.h"
#include "stages/models/target_config.h"
#include "stages/models/target_weights.h"

namespace dflash {

struct GenerateOptions {
  std::int64_t max_new_tokens = 0;
  std::vector<std::int64_t> stop_ids;  // a row ends with the first of these, which is part of it
  SamplingOptions sampling;
};

/// A prompt and the name of its random numbers.
struct Prompt {
  std::vector<std::int64_t> ids;
  std::int64_t row_id = 0;
};

/// Continues all prompts as one batch (its cache holds the longest prompt and `max_new_tokens` for each; the caller
/// splits what is too many). Returns the new tokens of each. Rows that ended leave the batch by and by. One wait for
/// the device per token. Throws UserError for an empty prompt, an id outside the vocabulary and a length beyond
/// `max_position_embeddings`.
std::vector<std::vector<std::int64_t>> generate(const TargetWeights& weights, const TargetConfig& config,
                                                const std::vector<Prompt>& prompts, const GenerateOptions& options);

}  // namespace dflash
