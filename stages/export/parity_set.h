// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "framework/core/json.h"
#include "stages/evaluate/acceptance_evaluation.h"

namespace dflash {

/// Decodes `prompts` and returns what another implementation must find with the same target and drafter:
/// {schema, new_tokens, block_size, stop_ids, tau, prompts [{ids, tokens, accepted, first_draft}]}. `tokens` is the
/// answer with the prefill's token first, `accepted` what each round emitted, `first_draft` the block - 1 tokens
/// proposed in the first round. Greedy, and as in z-lab's `dflash_generate`.
Json parity_set(const DecodeModels& models, const std::vector<std::vector<std::int64_t>>& prompts,
                const AnswerOptions& options);

/// The file of an export that holds it.
inline constexpr const char* kParityName = "parity.json";

/// What a stored set was decoded with.
struct ParityInputs {
  std::vector<std::vector<std::int64_t>> prompts;
  AnswerOptions answers;
};

/// Reads them from the file of an export. Throws UserError where that is damaged.
ParityInputs parity_inputs(const std::filesystem::path& file);
/// The same from its content. Throws Json::exception where that is not what `parity_set` gives.
ParityInputs parity_inputs_of(const Json& parity);

}  // namespace dflash
