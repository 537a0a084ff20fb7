// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/sweep_command.h"

#include <algorithm>
#include <ctime>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "framework/analysis/sweep_file.h"
#include "framework/analysis/sweep_plan.h"
#include "framework/analysis/sweep_text.h"
#include "framework/checkpoint/durable_file.h"
#include "framework/cli/load_graph.h"
#include "framework/cli/plan_check.h"
#include "framework/cli/printing.h"
#include "framework/cli/run_directory.h"
#include "framework/cli/stop_signal.h"
#include "framework/cli/sweep_session.h"
#include "framework/core/error.h"
#include "framework/core/exit_code.h"
#include "framework/core/graph_overlay.h"
#include "framework/core/json_syntax.h"

namespace dflash {

namespace fs = std::filesystem;

namespace {

std::vector<SweepVariant> variants_of(const SweepRequest& request) {
  Diagnostics diagnostics;
  SweepFile file;
  if (!request.file.empty()) {
    file = read_sweep(read_json_file(request.file, "sweep file", diagnostics), diagnostics);
  }
  for (const std::string& text : request.vary) {
    file.axes.push_back(parse_axis(text, diagnostics));
  }
  diagnostics.throw_if_any();
  std::vector<SweepVariant> variants = combine(file.axes, file.zip || request.zip, diagnostics);
  diagnostics.throw_if_any();
  return variants;
}

struct CheckedVariant {
  std::string graph_name;
  Json resolved;
};

/// What is wrong with variants, once for all that have it: most comes from what they share.
class Mistakes {
 public:
  void add(const std::string& variant, const std::string& text) {
    const auto known = std::ranges::find(texts_, text);
    const auto index = static_cast<std::size_t>(known - texts_.begin());
    if (known == texts_.end()) {
      texts_.push_back(text);
      variants_.emplace_back();
    }
    variants_[index].push_back(fmt::format("'{}'", variant));
  }

  /// Throws one UserError with all of them; nothing where there is none. `count`: of all variants.
  void throw_if_any(std::size_t count) const {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      const std::vector<std::string>& names = variants_[i];
      const std::string whose = names.size() == count
                                    ? "every variant"
                                    : fmt::format("variant{} {}", names.size() == 1 ? "" : "s", fmt::join(names, ", "));
      lines.push_back(fmt::format("{}: {}", whose, texts_[i]));
    }
    DFLASH_USER_CHECK(lines.empty(), "{}", fmt::join(lines, "\n"));
  }

 private:
  std::vector<std::string> texts_;
  std::vector<std::vector<std::string>> variants_;  // that have the mistake of that text
};

/// As `check` does it. Nothing where there are mistakes.
std::optional<CheckedVariant> check_variant(const Application& application, const GraphRequest& request,
                                            const std::string& name, Mistakes& mistakes) {
  Diagnostics found;
  try {
    LoadedGraph loaded = load_graph(request, application, found);
    RunPlan plan = loaded.plan();
    Resources resources;
    check_plan(application, plan, {}, resources, found);
    if (found.empty()) {
      return CheckedVariant{.graph_name = loaded.file.name, .resolved = loaded.file.resolved};
    }
    for (const std::string& mistake : found.mistakes()) {
      mistakes.add(name, mistake);
    }
  } catch (const UserError& error) {
    mistakes.add(name, error.what());
  }
  return std::nullopt;
}

/// Makes nothing yet.
fs::path directory_of(const SweepRequest& request, const std::string& graph_name) {
  if (request.run_dir.empty()) {
    DFLASH_USER_CHECK(!request.resume, "--resume needs --run-dir: which sweep shall go on?");
    return RunDirectory::default_path("sweep-" + graph_name, std::time(nullptr));
  }
  if (!fs::exists(request.run_dir) || (fs::is_directory(request.run_dir) && fs::is_empty(request.run_dir))) {
    return request.run_dir;
  }
  DFLASH_USER_CHECK(request.resume && fs::exists(request.run_dir / "sweep.json"),
                    "the directory '{}' exists and is not empty; allowed: a new one{}", request.run_dir.string(),
                    fs::exists(request.run_dir / "sweep.json") ? ", or --resume to go on with that sweep" : "");
  return request.run_dir;
}

Sweep checked_sweep(const Application& application, const GraphRequest& graph, const SweepRequest& request) {
  Sweep sweep{.program = request.program,
              .name = application.name,
              .graph = graph,
              .variants = variants_of(request),
              .resolved = {},
              .directory = {},
              .rounds = request.rounds,
              .seed = request.seed,
              .resume = request.resume,
              .quiet = request.output.quiet,
              .json = request.output.json};
  for (const LoadedPlugin& plugin : application.plugins) {
    sweep.plugins.push_back(plugin.file);
  }
  Mistakes mistakes;
  std::string graph_name;
  for (const SweepVariant& variant : sweep.variants) {
    std::optional<CheckedVariant> checked =
        check_variant(application, request_of(graph, variant), variant.name, mistakes);
    if (checked) {
      graph_name = checked->graph_name;
      sweep.resolved.push_back(std::move(checked->resolved));
    }
  }
  mistakes.throw_if_any(sweep.variants.size());
  sweep.directory = directory_of(request, graph_name);
  return sweep;
}

void write_best(const Application& application, const Sweep& sweep, const SweepResult& result) {
  // What all variants set is how they were tried (few steps, a planted sleep), and no part of what was found.
  GraphRequest shared = sweep.graph;
  shared.sets.clear();
  const Json overlay =
      graph_overlay(shared, request_of(shared, result.rows[*result.best].variant), application.catalog);
  replace_durably(sweep.directory / "best.json", text_of(overlay, 2) + "\n");
}

/// What `run` needs beside the overlay, and what is not in it.
std::string overlay_text(const Sweep& sweep) {
  std::string needs;
  for (const fs::path& file : sweep.graph.overlays) {
    needs += " --overlay " + file.string();
  }
  for (const std::string& swap : sweep.graph.swaps) {
    needs += " --swap " + swap;
  }
  return fmt::format("overlay: {}{}{}\n", (sweep.directory / "best.json").string(),
                     needs.empty() ? "" : fmt::format(", behind{}", needs),
                     sweep.graph.sets.empty()
                         ? ""
                         : fmt::format(" (what was varied; without --set {})", fmt::join(sweep.graph.sets, " --set ")));
}

void print_result(const Sweep& sweep, const SweepResult& result) {
  if (!sweep.quiet) {
    const std::string best = result.best ? overlay_text(sweep) : "";
    write_text(sweep.json ? stderr : stdout,
               fmt::format("\n{}{}results: {}\n", sweep_text(result), best, (sweep.directory / "sweep.json").string()));
  }
  if (sweep.json) {
    Json json{{"run_dir", sweep.directory.string()},
              {"overlay", result.best ? Json((sweep.directory / "best.json").string()) : Json()}};
    json.update(sweep_json(result));
    print("{}\n", text_of(json));
  }
}

int code_of(const SweepResult& result) {
  if (StopSignal::count() > 0) {
    return ExitCode::kInterrupted;
  }
  const bool failed = std::ranges::any_of(result.rows, [](const SweepRow& row) {
    return std::ranges::any_of(row.runs, [](const SweepRun& run) { return !run.progress; });
  });
  return failed ? ExitCode::kStageFailed : ExitCode::kDone;
}

}  // namespace

int sweep_command(const Application& application, const GraphRequest& graph, const SweepRequest& request) {
  const Sweep sweep = checked_sweep(application, graph, request);
  const StopSignal signal;
  const SweepResult result = run_sweep(sweep);
  if (result.best) {
    write_best(application, sweep, result);
  } else {
    fs::remove(sweep.directory / "best.json");  // of an earlier session, with fewer rounds
  }
  print_result(sweep, result);
  return code_of(result);
}

}  // namespace dflash
