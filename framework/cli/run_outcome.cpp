// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/run_outcome.h"

#include <fmt/format.h>

#include "framework/analysis/stage_gains.h"
#include "framework/core/error.h"
#include "framework/core/exit_code.h"
#include "framework/report/planted_text.h"

namespace dflash {

Outcome outcome_of(const std::exception& error) {
  const auto* stage_error = dynamic_cast<const StageError*>(&error);
  const bool users =
      dynamic_cast<const UserError*>(&error) != nullptr || (stage_error != nullptr && stage_error->caused_by_user);
  return {.code = users ? ExitCode::kUserError : ExitCode::kStageFailed, .text = error.what()};
}

void attempt(RunRecord& record, const std::function<void()>& work) {
  try {
    work();
  } catch (const Interrupted& interrupted) {
    record.outcome = {.code = ExitCode::kInterrupted,
                      .text = fmt::format("all steps are done; {}", interrupted.what())};
  } catch (const std::exception& error) {
    if (record.outcome.code == 0) {
      record.outcome = outcome_of(error);
    }
    record.errors.emplace_back(error.what());
  }
}

std::string early_end_note(const RunRecord& record, std::int64_t last_step, std::int64_t steps) {
  return record.outcome.code != 0 || last_step >= steps
             ? ""
             : fmt::format("note: the sources ended after step {}; {} were asked for", last_step, steps);
}

std::string weighed_note(RunReport& report) {
  try {
    weigh_stages(report);
    return "";
  } catch (const std::exception& error) {
    return fmt::format("note: the report has no WHAT IF: {}", error.what());
  }
}

std::map<std::string, std::string> planted_texts(const Graph& graph) {
  std::map<std::string, std::string> texts;
  for (const Graph::Vertex& vertex : graph.vertices()) {
    const std::string text = vertex.placement.inject ? planted_text(*vertex.placement.inject) : "";
    if (!text.empty()) {
      texts.emplace(vertex.name, text);
    }
  }
  return texts;
}

std::string planted_nan_note(const Graph& graph) {
  std::string note;
  for (const Graph::Vertex& vertex : graph.vertices()) {
    if (vertex.placement.inject && vertex.placement.inject->nan_at > 0) {
      note += fmt::format("{}planted: stage '{}' emits NaN at firing {} (inject.nan_at)", note.empty() ? "" : "\n",
                          vertex.name, vertex.placement.inject->nan_at);
    }
  }
  return note;
}

}  // namespace dflash
