// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/step_duties.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "framework/checkpoint/durable_file.h"
#include "framework/cli/metrics_file.h"
#include "framework/core/error.h"
#include "framework/core/json_syntax.h"

namespace dflash {
namespace {

constexpr const char* kSummariesName = "summaries.json";

}  // namespace

StepDuties::StepDuties(const RunPlan& plan, const RunDirectory& directory, RunLog& log, Say say,
                       std::int64_t resumed_step)
    : plan_{plan},
      directory_{directory},
      log_{log},
      say_{std::move(say)},
      store_{directory.checkpoints(), plan.checkpoint_policy},
      last_step_{resumed_step},
      saved_step_{resumed_step} {}

void StepDuties::evaluate_if_due(std::int64_t step, const std::string& when) {
  if (plan_.evaluate && plan_.hooks.evaluates_at(step, when)) {
    evaluate(step, when);
  }
}

bool StepDuties::evaluate_at_start() {
  try {
    evaluate_if_due(0, "start");
  } catch (const Interrupted&) {
    return false;
  }
  return true;
}

bool StepDuties::checkpoint_is_due(std::int64_t step) const {
  return plan_.checkpoint_every > 0 && step % plan_.checkpoint_every == 0;
}

bool StepDuties::is_last(std::int64_t step) const { return plan_.steps > 0 && step >= plan_.steps; }

bool StepDuties::are_due(std::int64_t step) const {
  return !is_last(step) && (checkpoint_is_due(step) || (plan_.evaluate && plan_.hooks.evaluates_at(step, "step")));
}

void StepDuties::between(std::int64_t step, const SaveCut& save) {
  last_step_ = step;
  if (is_last(step)) {
    return;  // `drained` follows
  }
  const bool due = checkpoint_is_due(step);
  const Judgement judgement = judge([&] {
    evaluate_if_due(step, "step");
    return due ? score_at(step) : std::nullopt;
  });
  if (due || judgement.failure) {
    write_checkpoint(step, judgement.score, save);
  }
  if (judgement.failure) {
    std::rethrow_exception(judgement.failure);
  }
}

void StepDuties::drained(std::int64_t step, const SaveCut& save) {
  last_step_ = step;
  if (step == saved_step_) {
    return;
  }
  const Judgement judgement = judge([&] { return score_at(step); });
  write_checkpoint(step, judgement.score, save);
  if (judgement.failure) {
    std::rethrow_exception(judgement.failure);
  }
}

StepDuties::Judgement StepDuties::judge(const std::function<std::optional<double>()>& evaluations) {
  try {
    return {.score = evaluations(), .failure = nullptr};
  } catch (const Interrupted&) {
    return {};
  } catch (...) {
    return {.score = std::nullopt, .failure = std::current_exception()};
  }
}

Json StepDuties::evaluate(std::int64_t step, const std::string& when) {
  const auto begin = std::chrono::steady_clock::now();
  Json evaluation = plan_.hooks.evaluate(step, when);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  Json line{{"event", "evaluation"}, {"step", step}, {"when", when}, {"seconds", took.count()}};
  line.update(evaluation);
  append_json_line(directory_.metrics(), line);
  return evaluation;
}

// Always by an evaluation of its own kind, or scores of different steps would not compare.
std::optional<double> StepDuties::score_at(std::int64_t step) {
  if (!plan_.evaluate || plan_.checkpoint_policy.keep_best == 0) {
    return std::nullopt;
  }
  return plan_.hooks.score(evaluate(step, "checkpoint"));
}

void StepDuties::write_checkpoint(std::int64_t step, std::optional<double> score, const SaveCut& save) {
  const Checkpoint written = store_.write(step, score, [&](const std::filesystem::path& folder) {
    save(folder);
    if (std::filesystem::exists(directory_.metrics())) {
      sync_to_disk(directory_.metrics());  // a checkpoint promises the lines up to its step
    }
    write_durably(folder / kSummariesName, text_of(log_.summaries()));
  });
  saved_step_ = step;
  say_(fmt::format("checkpoint of step {} written{}", step, score ? fmt::format(" (score {:.4g})", *score) : ""));
}

void restore_summaries(const Checkpoint& checkpoint, RunLog& log) {
  const std::filesystem::path file = checkpoint.folder / kSummariesName;
  read_written(parse_or_discard(read_text(file)), file.string(), [&](const Json& summaries) {
    for (const auto& [section, values] : summaries.items()) {
      log.set_summary(section, values);
    }
  });
}

}  // namespace dflash
