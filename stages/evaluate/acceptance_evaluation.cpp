// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/acceptance_evaluation.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <iterator>
#include <map>

#include "framework/core/error.h"
#include "stages/evaluate/intra_op_threads.h"
#include "stages/evaluate/replay.h"

namespace dflash {
namespace {

using Prompts = std::vector<std::vector<std::int64_t>>;

/// Says before each round of one part, which decodes its prompts as one batch, how many of them are done.
std::function<void(std::int64_t)> rounds_of_part(const AcceptanceOptions& options, const char* part,
                                                 const Prompts& prompts) {
  return [&options, part, count = std::ssize(prompts)](std::int64_t unfinished) {
    options.before_round({.part = part, .done = count - unfinished, .prompts = count});
  };
}

AnswerOptions decode_options(const AcceptanceOptions& options, double temperature, const char* part,
                             const Prompts& prompts) {
  return {.new_tokens = options.new_tokens,
          .stop_ids = options.stop_ids,
          .block_size = options.block_size,
          .choice = {.temperature = temperature, .seed = options.seed},
          .before_round = rounds_of_part(options, part, prompts)};
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
  const DecodedBatch plain = plain_decode(*target, prompts, decode_options(options, 0.0, "without drafts", prompts));
  report.batch_speed = {.plain = plain.tokens_per_second(), .speculative = report.greedy_answers.tokens_per_second()};
  for (std::size_t i = 0; i < plain.answers.size(); ++i) {
    const std::vector<std::int64_t>& alone = plain.answers[i].tokens;
    const std::vector<std::int64_t>& drafted = report.greedy_answers.answers[i].tokens;
    if (alone != drafted) {
      const auto place = std::mismatch(alone.begin(), alone.end(), drafted.begin(), drafted.end()).first;
      report.first_differences.push_back(
          {.prompt = static_cast<std::int64_t>(i), .token = std::distance(alone.begin(), place)});
    }
  }
  report.equal_to_plain = std::ssize(plain.answers) - std::ssize(report.first_differences);
}

void append(DecodedBatch& all, DecodedBatch one) {
  all.decode_seconds += one.decode_seconds;
  all.draft_seconds += one.draft_seconds;
  all.verify_seconds += one.verify_seconds;
  std::move(one.answers.begin(), one.answers.end(), std::back_inserter(all.answers));
}

void measure_speed(AcceptanceReport& report, const DecodeModels& models, const Prompts& prompts,
                   const AcceptanceOptions& options) {
  const auto count = std::min(static_cast<std::int64_t>(prompts.size()), options.speed_prompts);
  AnswerOptions answers = decode_options(options, 0.0, "", prompts);
  answers.times_phases = true;
  std::int64_t done = 0;
  answers.before_round = [&](std::int64_t) {
    options.before_round({.part = "one prompt at a time", .done = done, .prompts = count});
  };
  DecodedBatch plain;
  DecodedBatch drafted;
  for (; done < count; ++done) {
    const std::vector<std::int64_t>& prompt = prompts[static_cast<std::size_t>(done)];
    append(plain, plain_decode(*models.target(false), {prompt}, answers));
    append(drafted, decode_drafted(models, {prompt}, answers));
  }
  report.speed = {.plain = plain.tokens_per_second(), .speculative = drafted.tokens_per_second()};
  report.cost = round_cost(plain, drafted, prompts, report.greedy.tau);
}

void measure_sampled(AcceptanceReport& report, const DecodeModels& models, const Prompts& prompts,
                     const AcceptanceOptions& options) {
  const DecodedBatch batch =
      decode_drafted(models, prompts, decode_options(options, options.sampled_temperature, "sampled", prompts));
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
  const auto rounds =
      replay(*target, *drafter, documents, options.block_size, rounds_of_part(options, "replayed", prompts));
  report.replay = acceptance_statistics(rounds, options.block_size);
}

std::vector<TagAcceptance> acceptance_by_tag(const AcceptanceReport& report, const AcceptanceOptions& options) {
  std::map<std::string, std::vector<std::vector<DecodeRound>>> rounds;
  for (std::size_t i = 0; i < options.tags.size(); ++i) {
    rounds[options.tags[i]].push_back(report.greedy_answers.answers[i].rounds);
  }
  std::vector<TagAcceptance> tags;
  if (rounds.empty() || (rounds.size() == 1 && rounds.contains(""))) {
    return tags;
  }
  for (const auto& [tag, of_tag] : rounds) {
    tags.push_back({.tag = tag, .greedy = acceptance_statistics(of_tag, options.block_size)});
  }
  return tags;
}

std::vector<ContextAcceptance> acceptance_by_context(const AcceptanceReport& report, const Prompts& prompts) {
  constexpr std::int64_t kFirstBound = 64;
  std::map<std::int64_t, ContextAcceptance> contexts;
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    std::int64_t length = std::ssize(prompts[i]) + 1;
    for (const DecodeRound& round : report.greedy_answers.answers[i].rounds) {
      const std::int64_t behind =
          length < kFirstBound ? 0 : static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(length)));
      ContextAcceptance& context = contexts[behind];
      context.behind = behind;
      ++context.rounds;
      context.tokens += round.emitted;
      length += round.emitted;
    }
  }
  std::vector<ContextAcceptance> found;
  for (const auto& [behind, context] : contexts) {
    found.push_back(context);
  }
  return found;
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
  DFLASH_CHECK(options.tags.empty() || options.tags.size() == prompts.size(), "{} tags for {} prompts",
               options.tags.size(), prompts.size());
  const auto begun = std::chrono::steady_clock::now();
  const IntraOpThreads threads(options.threads);
  AcceptanceReport report{.block_size = options.block_size, .new_tokens = options.new_tokens};
  report.greedy_answers = decode_drafted(models, prompts, decode_options(options, 0.0, "drafted", prompts));
  report.greedy = acceptance_statistics(rounds_of(report.greedy_answers), options.block_size);
  report.tags = acceptance_by_tag(report, options);
  report.contexts = acceptance_by_context(report, prompts);
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

}  // namespace dflash
