// SPDX-License-Identifier: Apache-2.0
#include "stages/session/drafter_evaluation.h"

#include <algorithm>
#include <thread>

#include "framework/core/error.h"
#include "stages/data/text_rows.h"
#include "stages/evaluate/marked_story.h"
#include "stages/evaluate/network_models.h"
#include "stages/evaluate/replay.h"
#include "stages/export/target_fingerprint.h"

namespace dflash {
namespace {

/// Says that an evaluation has ended, also where it throws.
class EndOfEvaluation {
 public:
  explicit EndOfEvaluation(const std::function<void()>& ended) : ended_{ended} {}
  EndOfEvaluation(const EndOfEvaluation&) = delete;
  EndOfEvaluation& operator=(const EndOfEvaluation&) = delete;
  ~EndOfEvaluation() { ended_(); }

 private:
  const std::function<void()>& ended_;
};

constexpr std::size_t kSmallSet = 16;      // prompts of run_small
constexpr std::int64_t kSpeedPrompts = 3;  // decoded one at a time, as a server with one user would

}  // namespace

DrafterEvaluation::DrafterEvaluation(Models& models, const TextCodec& codec, const EvaluateSection& section,
                                     std::uint64_t seed, bool read_training)
    : models_{models}, codec_{codec}, section_{section}, seed_{seed} {
  prompts_ = read_heldout_prompts(section.path(), codec, section.prompts());
  if (!section.training_path().empty()) {
    if (read_training) {
      training_ = answer_ngrams(section.training_path(), codec);
    } else {
      (void)TextRows{section.training_path(), RowUnit::kLine, 1};
    }
  }
}

bool DrafterEvaluation::has_stored_answers() const {
  return std::ranges::any_of(prompts_, [](const HeldoutPrompt& prompt) { return !prompt.answer.empty(); });
}

AnswerOptions DrafterEvaluation::answer_options() const {
  AnswerOptions options;
  options.new_tokens = section_.new_tokens();
  options.block_size = models_.drafter_config().block_size;
  options.stop_ids.assign(codec_.stop_ids.begin(), codec_.stop_ids.end());
  return options;
}

DecodeModels DrafterEvaluation::decode_models() {
  DFLASH_CHECK(models_.drafter_weights().has_value(), "the drafter's stage has not opened");
  return network_models(models_.target_config(), *models_.target_weights(), models_.drafter_config(),
                        *models_.drafter_weights(), section_.new_tokens());
}

std::vector<std::vector<std::int64_t>> DrafterEvaluation::prompt_ids(std::size_t most) const {
  std::vector<std::vector<std::int64_t>> ids;
  for (std::size_t i = 0; i < std::min(most, prompts_.size()); ++i) {
    ids.push_back(prompts_[i].ids);
  }
  return ids;
}

Json DrafterEvaluation::run(bool complete) {
  const EndOfEvaluation end{ended_};
  const AnswerOptions answers = answer_options();
  AcceptanceOptions options;
  options.block_size = answers.block_size;
  options.new_tokens = answers.new_tokens;
  options.stop_ids = answers.stop_ids;
  options.plain = complete;
  options.speed_prompts = complete ? kSpeedPrompts : 0;
  options.replay = complete;
  options.sampled_temperature = complete ? section_.temperature() : 0.0;
  options.seed = seed_;
  options.training_answers = complete && training_ ? &*training_ : nullptr;
  options.before_round = before_round_;
  options.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  for (const HeldoutPrompt& prompt : prompts_) {
    options.tags.push_back(prompt.tag);
  }
  last_ = evaluate_acceptance(decode_models(), prompt_ids(prompts_.size()), options);
  Json report = to_json(*last_);
  report["chat"] = chat_;
  if (const auto other = other_chat(models_.options().drafter_folder, chat_)) {
    report["warnings"].push_back(*other);
  }
  if (complete) {
    complete_ = report;
  }
  return report;
}

Json DrafterEvaluation::run_small() {
  const EndOfEvaluation end{ended_};
  std::vector<StoredAnswer> stored;
  for (const HeldoutPrompt& prompt : prompts_) {
    if (stored.size() < kSmallSet && !prompt.answer.empty()) {
      StoredAnswer answer{.tokens = prompt.ids, .prompt_length = static_cast<std::int64_t>(prompt.ids.size())};
      const auto length = std::min(static_cast<std::int64_t>(prompt.answer.size()), section_.new_tokens());
      answer.tokens.insert(answer.tokens.end(), prompt.answer.begin(), prompt.answer.begin() + length);
      stored.push_back(std::move(answer));
    }
  }
  const auto count = std::ssize(stored);
  const auto before_round = [&](std::int64_t unfinished) {
    before_round_({.part = "replayed", .done = count - unfinished, .prompts = count});
  };
  const DecodeModels models = decode_models();
  const std::int64_t block = models_.drafter_config().block_size;
  const AcceptanceStatistics statistics =
      acceptance_statistics(replay(*models.target(true), *models.drafter(), stored, block, before_round), block);
  return {{"replay", {{"tau", statistics.tau}}}, {"prompts", statistics.prompts}};
}

std::vector<std::string> DrafterEvaluation::pieces_of(const DecodedAnswer& answer) const {
  std::vector<std::string> pieces;
  for (const std::int64_t id : answer.tokens) {
    const auto token = static_cast<std::int32_t>(id);
    pieces.emplace_back(codec_.tokenizer.is_special(token) ? std::string_view{} : codec_.tokenizer.bytes_of(token));
  }
  return pieces;
}

std::vector<Json> DrafterEvaluation::answer_rows() const {
  DFLASH_CHECK(last_.has_value(), "no evaluation was made");
  std::vector<Json> rows;
  for (std::size_t i = 0; i < prompts_.size(); ++i) {
    const DecodedAnswer& answer = last_->greedy_answers.answers[i];
    const std::vector<std::int32_t> ids{answer.tokens.begin(), answer.tokens.end()};
    const AcceptanceStatistics statistics = acceptance_statistics({answer.rounds}, last_->block_size);
    rows.push_back({{"prompt", prompts_[i].text},
                    {"answer", codec_.tokenizer.decode(ids, /*skip_special=*/true)},
                    {"tag", prompts_[i].tag},
                    {"tokens", answer.tokens.size()},
                    {"tau", statistics.tau},
                    {"accepted", accepted_lengths(answer.rounds)}});
  }
  return rows;
}

std::string DrafterEvaluation::marked_answer(std::int64_t columns) const {
  if (!last_ || last_->greedy_answers.answers.empty()) {
    return "";
  }
  const DecodedAnswer& answer = last_->greedy_answers.answers.front();
  return fmt::format("  {}\n{}", prompts_.front().text,
                     marked_story(pieces_of(answer), answer.rounds, MarkStyle::kBrackets, columns));
}

}  // namespace dflash
