// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "framework/core/json.h"
#include "stages/evaluate/acceptance_evaluation.h"
#include "stages/session/evaluate_section.h"
#include "stages/session/heldout_prompts.h"
#include "stages/session/models.h"

namespace dflash {

/// Measures the drafter of a run on held-out prompts: reads them once, decodes each time it is asked.
class DrafterEvaluation {
 public:
  /// Reads the prompts, and the training answers unless only their file shall be opened. Throws UserError where a file
  /// cannot be used.
  DrafterEvaluation(Models& models, const TextCodec& codec, const EvaluateSection& section, std::uint64_t seed,
                    bool read_training);
  /// `before_round` is called before each round of every evaluation, and may throw, to end it; `ended` after each
  /// evaluation, however it ended.
  void watch(std::function<void(const EvaluationRound&)> before_round, std::function<void()> ended) {
    before_round_ = std::move(before_round);
    ended_ = std::move(ended);
  }
  /// How the prompts are rendered, for the report.
  void set_chat(Json chat) { chat_ = std::move(chat); }
  /// Whether `run_small` finds something to replay.
  [[nodiscard]] bool has_stored_answers() const;

  /// The acceptance length by true greedy decoding. `complete` adds plain decoding, sampled answers, replay, and the
  /// overlap with the training answers.
  [[nodiscard]] Json run(bool complete);
  /// The last complete report of `run`; null before.
  [[nodiscard]] const std::optional<Json>& complete_report() const { return complete_; }
  /// The greedy answers of the last `run` with their rounds, a row of JSON each: {prompt, answer, tag, tokens, tau,
  /// accepted}.
  [[nodiscard]] std::vector<Json> answer_rows() const;
  /// A cheap figure for comparing checkpoints: replay over the first few stored answers.
  [[nodiscard]] Json run_small();
  /// One held-out answer of the last `run`, the accepted runs marked; empty before.
  [[nodiscard]] std::string marked_answer(std::int64_t columns) const;
  [[nodiscard]] const std::vector<HeldoutPrompt>& prompts() const { return prompts_; }
  [[nodiscard]] AnswerOptions answer_options() const;

 private:
  [[nodiscard]] DecodeModels decode_models();
  [[nodiscard]] std::vector<std::vector<std::int64_t>> prompt_ids(std::size_t most) const;
  [[nodiscard]] std::vector<std::string> pieces_of(const DecodedAnswer& answer) const;

  Models& models_;
  const TextCodec& codec_;
  const EvaluateSection& section_;
  std::uint64_t seed_;
  std::vector<HeldoutPrompt> prompts_;
  std::optional<NgramSet> training_;
  std::optional<AcceptanceReport> last_;
  std::optional<Json> complete_;
  Json chat_;
  std::function<void(const EvaluationRound&)> before_round_ = [](const EvaluationRound&) {};
  std::function<void()> ended_ = [] {};
};

}  // namespace dflash
