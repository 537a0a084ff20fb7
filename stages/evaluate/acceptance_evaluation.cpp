// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/acceptance_evaluation.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "stages/evaluate/intra_op_threads.h"
#include "stages/evaluate/replay.h"

namespace dflash {
namespace {

using Prompts = std::vector<std::vector<std::int64_t>>;

AnswerOptions decode_options(const AcceptanceOptions& options, double temperature) {
  return {.new_tokens = options.new_tokens,
          .stop_ids = options.stop_ids,
          .block_size = options.block_size,
          .choice = {.temperature = temperature, .seed = options.seed},
          .before_round = options.before_round};
}

DecodedBatch decode_drafted(const DecodeModels& models, const Prompts& prompts, const AnswerOptions& options) {
  const std::unique_ptr<BatchTarget> target = models.target(true);
  const std::unique_ptr<BatchDrafter> drafter = models.drafter();
  return speculative_decode(*target, *drafter, prompts, options);
}

std::vector<std::vector<DecodeRound>> rounds_of(const DecodedBatch& batch) {
  std::vector<std::vector<DecodeRound>> rounds;
  std::transform(batch.answers.begin(), batch.answers.end(), std::back_inserter(rounds),
                 [](const DecodedAnswer& answer) { return answer.rounds; });
  return rounds;
}

std::vector<std::vector<std::int64_t>> tokens_of(const DecodedBatch& batch) {
  std::vector<std::vector<std::int64_t>> tokens;
  std::transform(batch.answers.begin(), batch.answers.end(), std::back_inserter(tokens),
                 [](const DecodedAnswer& answer) { return answer.tokens; });
  return tokens;
}

void measure_plain(AcceptanceReport& report, const DecodeModels& models, const Prompts& prompts,
                   const AcceptanceOptions& options) {
  const std::unique_ptr<BatchTarget> target = models.target(false);
  const DecodedBatch plain = plain_decode(*target, prompts, decode_options(options, 0.0));
  report.batch_speed = {.plain = plain.tokens_per_second(), .speculative = report.greedy_answers.tokens_per_second()};
  report.equal_to_plain = std::inner_product(
      plain.answers.begin(), plain.answers.end(), report.greedy_answers.answers.begin(), std::int64_t{0}, std::plus<>{},
      [](const DecodedAnswer& a, const DecodedAnswer& b) { return a.tokens == b.tokens ? 1 : 0; });
}

void append(DecodedBatch& all, DecodedBatch one) {
  all.decode_seconds += one.decode_seconds;
  std::move(one.answers.begin(), one.answers.end(), std::back_inserter(all.answers));
}

void measure_speed(AcceptanceReport& report, const DecodeModels& models, const Prompts& prompts,
                   const AcceptanceOptions& options) {
  const AnswerOptions answers = decode_options(options, 0.0);
  const auto count = std::min(static_cast<std::int64_t>(prompts.size()), options.speed_prompts);
  DecodedBatch plain;
  DecodedBatch drafted;
  for (const std::vector<std::int64_t>& prompt : Prompts(prompts.begin(), prompts.begin() + count)) {
    append(plain, plain_decode(*models.target(false), {prompt}, answers));
    append(drafted, decode_drafted(models, {prompt}, answers));
  }
  report.speed = {.plain = plain.tokens_per_second(), .speculative = drafted.tokens_per_second()};
}

void measure_sampled(AcceptanceReport& report, const DecodeModels& models, const Prompts& prompts,
                     const AcceptanceOptions& options) {
  const DecodedBatch batch = decode_drafted(models, prompts, decode_options(options, options.sampled_temperature));
  report.sampled = acceptance_statistics(rounds_of(batch), options.block_size);
  report.sampled_temperature = options.sampled_temperature;
}

void measure_replay(AcceptanceReport& report, const DecodeModels& models, const Prompts& prompts,
                    const AcceptanceOptions& options) {
  std::vector<StoredAnswer> documents;
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    StoredAnswer document{.tokens = prompts[i], .prompt_length = static_cast<std::int64_t>(prompts[i].size())};
    const std::vector<std::int64_t>& answer = report.greedy_answers.answers[i].tokens;
    document.tokens.insert(document.tokens.end(), answer.begin(), answer.end());
    documents.push_back(std::move(document));
  }
  const std::unique_ptr<BatchTarget> target = models.target(true);
  const std::unique_ptr<BatchDrafter> drafter = models.drafter();
  report.replay = acceptance_statistics(replay(*target, *drafter, documents, options.block_size, options.before_round),
                                        options.block_size);
}

void measure_lower_overlap(AcceptanceReport& report, const AcceptanceOptions& options) {
  report.overlap = measure_overlap(tokens_of(report.greedy_answers), *options.training_answers);
  std::vector<std::vector<DecodeRound>> rounds;
  for (const std::size_t prompt : report.overlap->lower) {
    rounds.push_back(report.greedy_answers.answers[prompt].rounds);
  }
  report.lower_overlap = acceptance_statistics(rounds, options.block_size);
}

}  // namespace

AcceptanceReport evaluate_acceptance(const DecodeModels& models, const Prompts& prompts,
                                     const AcceptanceOptions& options) {
  DFLASH_USER_CHECK(!prompts.empty(), "the evaluation has no prompts");
  const auto begun = std::chrono::steady_clock::now();
  const IntraOpThreads threads(options.threads);
  AcceptanceReport report{.block_size = options.block_size, .new_tokens = options.new_tokens};
  report.greedy_answers = decode_drafted(models, prompts, decode_options(options, 0.0));
  report.greedy = acceptance_statistics(rounds_of(report.greedy_answers), options.block_size);
  report.distinct_ngrams = measure_overlap(tokens_of(report.greedy_answers), {}).distinct;
  if (options.plain) {
    measure_plain(report, models, prompts, options);
  }
  if (options.speed_prompts > 0) {
    measure_speed(report, models, prompts, options);
  }
  if (options.replay) {
    measure_replay(report, models, prompts, options);
  }
  if (options.sampled_temperature > 0.0) {
    measure_sampled(report, models, prompts, options);
  }
  if (options.training_answers != nullptr) {
    measure_lower_overlap(report, options);
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return report;
}

Json to_json(const AcceptanceReport& report) {
  Json json{{"tau", report.greedy.tau},
            {"tau_of_prompts", report.greedy.tau_of_prompts},
            {"accepted_drafts", report.greedy.accepted_drafts},
            {"slot_acceptance", report.greedy.slot_acceptance},
            {"prompts", report.greedy.prompts},
            {"rounds", report.greedy.rounds},
            {"tokens", report.greedy.tokens},
            {"block_size", report.block_size},
            {"new_tokens", report.new_tokens}};
  if (report.lower_overlap) {
    json["lower_overlap"] = {{"tau", report.lower_overlap->tau}, {"prompts", report.lower_overlap->prompts}};
  }
  if (report.sampled) {
    json["sampled"] = {{"temperature", report.sampled_temperature}, {"tau", report.sampled->tau}};
  }
  if (report.replay) {
    json["replay"] = {{"tau", report.replay->tau}};
  }
  if (report.speed) {
    json["plain_tokens_per_s"] = report.speed->plain;
    json["speculative_tokens_per_s"] = report.speed->speculative;
  }
  if (report.batch_speed) {
    json["batch"] = {{"plain_tokens_per_s", report.batch_speed->plain},
                     {"speculative_tokens_per_s", report.batch_speed->speculative}};
    json["equal_to_plain"] = *report.equal_to_plain;
  }
  json["overlap"] = {{"distinct_8grams", report.distinct_ngrams}};
  if (report.overlap) {
    json["overlap"]["in_training"] = report.overlap->in_training;
  }
  json["seconds"] = report.seconds;
  return json;
}

}  // namespace dflash
