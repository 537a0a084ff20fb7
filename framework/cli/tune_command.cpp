// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/tune_command.h"

#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "framework/analysis/tuning_text.h"
#include "framework/cli/printing.h"
#include "framework/cli/recorded_run.h"
#include "framework/cli/run_directory.h"
#include "framework/core/edge_text.h"
#include "framework/core/error.h"
#include "framework/core/json_syntax.h"

namespace dflash {
namespace {

std::int64_t read_budget(const std::string& text) {
  const std::optional<std::int64_t> bytes = parse_byte_size(text);
  DFLASH_USER_CHECK(bytes, "--bytes {}: allowed: a whole number with a unit, as 512MiB or 4GiB", text);
  return *bytes;
}

/// `read` of the graph that the run has resolved.
template <class Read>
auto of_graph(const RecordedRun& run, const Read& read) {
  return read_written(run.graph(), (run.path() / "resolved.json").string(), read);
}

int run(const CommandValues& values, const CommandOutput& output) {
  std::string folder;
  std::string file;
  std::optional<std::int64_t> budget;
  for (const auto& [name, value] : values) {
    if (name == "RUN") {
      folder = value;
    } else if (name == "output") {
      file = value;
    } else if (name == "bytes") {
      budget = read_budget(value);
    }
  }
  const RecordedRun recorded{folder};
  RunDirectory::check_output(file);
  TuningLimits limits = of_graph(recorded, limits_in);
  limits.budget_bytes = budget;
  const Tuning tuning = tune(recorded.timeline(), limits);
  if (!file.empty()) {
    const Json overlay = of_graph(recorded, [&](const Json& graph) { return tuning_overlay(tuning, graph); });
    write_output(file, text_of(overlay, 2) + "\n");
  }
  if (output.json) {
    Json json = tuning_json(tuning);
    json["overlay"] = file.empty() ? Json(nullptr) : Json(file);
    print("{}\n", text_of(json));
  } else if (!output.quiet) {
    print("{}{}", tuning_text(tuning), file.empty() ? "" : fmt::format("overlay: {}\n", file));
  }
  return 0;
}

}  // namespace

Command tune_command() {
  return {.name = "tune",
          .help = "Advise the smallest capacities that keep 99 % of the throughput of unlimited ones.",
          .positionals = {{"RUN", "run directory"}},
          .options = {{"--bytes", "SIZE, as 4GiB: what all edges and buffers may hold together; default: no limit"},
                      {"--output", "FILE: write the capacities as an overlay for `run --overlay FILE`"}},
          .run = run};
}

}  // namespace dflash
