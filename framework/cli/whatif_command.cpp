// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/whatif_command.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "framework/analysis/what_if.h"
#include "framework/cli/printing.h"
#include "framework/cli/recorded_run.h"
#include "framework/core/error.h"
#include "framework/core/json_syntax.h"
#include "framework/report/number_text.h"

namespace dflash {
namespace {

constexpr std::array<std::pair<std::string_view, Change::Kind>, 3> kKinds{{{"speedup", Change::Kind::kSpeedup},
                                                                           {"capacity", Change::Kind::kCapacity},
                                                                           {"replicas", Change::Kind::kReplicas}}};

/// Where the type of a stage is known, the engine's own rule, in its words; else a note that it is not.
std::optional<std::string> replica_note(const Change& change, const Json& stages, const Catalog& catalog) {
  if (change.kind != Change::Kind::kReplicas || !stages.contains(change.name)) {
    return std::nullopt;
  }
  const auto type = stages.at(change.name).value("type", std::string{});
  const Catalog::Entry* entry = catalog.find(type);
  DFLASH_USER_CHECK(entry == nullptr || entry->info.stateless || change.value == 1.0,
                    "--replicas {}: found {:.0f}, allowed: 1, since stage type '{}' keeps something between firings",
                    change.name, change.value, type);
  return entry != nullptr
             ? std::nullopt
             : std::optional{fmt::format("whether '{}' can have replicas is not known, since its type '{}' is not; one "
                                         "that keeps something between firings cannot",
                                         change.name, type)};
}

std::vector<std::string> replica_notes(const RecordedRun& run, const std::vector<Change>& changes,
                                       const Catalog& catalog) {
  std::vector<std::string> notes;
  read_written(run.graph(), (run.path() / "resolved.json").string(), [&](const Json& graph) {
    const Json& stages = graph.at("stages");
    for (const Change& change : changes) {
      if (auto note = replica_note(change, stages, catalog)) {
        notes.push_back(*std::move(note));
      }
    }
  });
  return notes;
}

/// Nothing where each thread of the host's stages had a processor, or the run does not say.
std::optional<std::string> sharing_note(const RecordedRun& run, const Timeline& timeline) {
  const std::filesystem::path file = run.path() / "report.json";
  if (!std::filesystem::exists(file)) {
    return std::nullopt;
  }
  const std::int64_t processors = read_written(run.report(), file.string(), [](const Json& report) {
    return whole_number(report.value(Json::json_pointer{"/provenance/hardware/cores"}, Json(0)));
  });
  std::int64_t threads = 0;
  for (const LaneRecord& lane : timeline.lanes) {
    const bool launches = std::ranges::any_of(
        timeline.stages, [&](const StageTimeline& stage) { return stage.lane == lane.name && !stage.device.empty(); });
    threads += launches ? 0 : lane.workers;
  }
  if (processors == 0 || threads <= processors) {
    return std::nullopt;
  }
  return fmt::format(
      "{} of the run's stages shared {}; the replay does not know that a faster stage leaves more of them to the "
      "others, "
      "and a busier one less",
      count_text(threads, "thread"), count_text(processors, "processor"));
}

int run(const CommandValues& values, const CommandOutput& output, const Catalog& catalog) {
  std::string folder;
  std::vector<Change> changes;
  for (const auto& [name, value] : values) {
    if (name == "RUN") {
      folder = value;
    }
    for (const auto& [option, kind] : kKinds) {
      if (name == option) {
        changes.push_back(parse_change(kind, value));
      }
    }
  }
  const RecordedRun recorded{folder};
  DFLASH_USER_CHECK(
      !changes.empty(),
      "found no change, allowed: one or more of --speedup STAGE=1.5, --capacity EDGE=8, --replicas STAGE=2");
  require_single(changes);
  const Timeline timeline = recorded.timeline();
  std::vector<std::string> notes = replica_notes(recorded, changes, catalog);
  WhatIf result = what_if(timeline, changes);
  result.notes = std::move(notes);
  if (std::optional<std::string> note = sharing_note(recorded, timeline)) {
    result.notes.push_back(std::move(*note));
  }
  if (output.json) {
    print("{}\n", text_of(what_if_json(result)));
  } else if (!output.quiet) {
    print("{}", what_if_text(result));
  }
  return 0;
}

}  // namespace

Command whatif_command(const Catalog& catalog) {
  return {.name = "whatif",
          .help = "Predict how long a recorded run would take with faster stages, other capacities or more replicas.",
          .positionals = {{"RUN", "run directory"}},
          .options = {{"--speedup", "STAGE=TIMES: so many times as fast; repeatable", true},
                      {"--capacity", "EDGE=ITEMS or BUFFER=ITEMS: as the report names them; repeatable", true},
                      {"--replicas", "STAGE=NUMBER; repeatable", true}},
          .run = [&catalog](const CommandValues& values, const CommandOutput& output) {
            return run(values, output, catalog);
          }};
}

}  // namespace dflash
