// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/compare_command.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <sstream>
#include <system_error>
#include <vector>

#include <nlohmann/json.hpp>

#include "framework/analysis/comparison_json.h"
#include "framework/analysis/comparison_text.h"
#include "framework/analysis/run_comparison.h"
#include "framework/cli/printing.h"
#include "framework/cli/recorded_run.h"
#include "framework/core/error.h"
#include "framework/core/json_differences.h"
#include "framework/core/json_syntax.h"

namespace dflash {
namespace {

constexpr std::size_t kColumns = 110;

/// A folder may have a comma in its name.
std::vector<std::string> directories_of(const std::string& side) {
  if (std::filesystem::exists(side)) {
    return {side};
  }
  std::vector<std::string> names;
  std::istringstream parts{side};
  for (std::string name; std::getline(parts, name, ',');) {
    DFLASH_USER_CHECK(!name.empty(), "found '{}', allowed: run directories with commas between them", side);
    names.push_back(name);
  }
  return names;
}

/// The same run twice is no repeat of it.
void require_different(const std::vector<std::string>& directories) {
  std::map<std::filesystem::path, std::string> known;
  for (const std::string& directory : directories) {
    std::error_code ignored;
    const auto [first, is_new] = known.emplace(std::filesystem::weakly_canonical(directory, ignored), directory);
    DFLASH_USER_CHECK(is_new, "found '{}' and '{}' on one side, allowed: each run once", first->second, directory);
  }
}

/// What a side's runs have in common is what is compared, so they are of one graph, but for what is drawn.
void require_one_graph(const std::vector<RunRecords>& runs) {
  const auto without_seeds = [](Json graph) {
    if (const auto run = graph.find("run"); run != graph.end() && run->is_object()) {
      run->erase("seed");
      run->erase("order_seed");
    }
    return graph;
  };
  for (const RunRecords& run : runs) {
    const std::vector<JsonDifference> differences =
        json_differences(without_seeds(runs.front().graph), without_seeds(run.graph));
    DFLASH_USER_CHECK(differences.empty(),
                      "'{}' and '{}' are of different graphs (in {}), allowed on one side: runs of one graph, but for "
                      "run.seed",
                      runs.front().name, run.name, differences.empty() ? "" : differences.front().key);
  }
}

std::vector<RunRecords> read_side(const std::string& side) {
  const std::vector<std::string> directories = directories_of(side);
  DFLASH_USER_CHECK(!directories.empty(), "found no run directory, allowed: one, or several with commas between them");
  require_different(directories);
  std::vector<RunRecords> runs;
  std::ranges::transform(directories, std::back_inserter(runs), read_records);
  require_one_graph(runs);
  return runs;
}

int compare(const CommandValues& values, const CommandOutput& output) {
  std::map<std::string, std::vector<RunRecords>> sides;
  for (const auto& [side, directories] : values) {
    sides[side] = read_side(directories);
  }
  DFLASH_USER_CHECK(sides.size() == 2, "found an empty name, allowed: run directories");
  RunComparison comparison;
  try {
    comparison = compare_runs(sides.at("A"), sides.at("B"));
  } catch (const Json::exception& error) {
    throw UserError(fmt::format("the report of one of the runs is damaged: {}", plain_words(error.what())));
  }
  if (!output.quiet && !output.json) {
    print("{}", comparison_text(comparison, kColumns));
  }
  if (output.json) {
    print("{}\n", text_of(comparison_json(comparison)));
  }
  return 0;
}

}  // namespace

RunRecords read_records(const std::string& directory) {
  const RecordedRun run{directory};
  return {.name = directory,
          .report = run.report(),
          .graph = run.graph(),
          .metrics = run.metrics(),
          .timeline = run.timeline()};
}

Command compare_command() {
  return {.name = "compare",
          .help = "Say whether run B is faster than run A, by how much, how surely, and where.",
          .positionals = {{"A", "run directory; several runs of one kind with commas between"},
                          {"B", "the same for what is compared with A"}},
          .options = {},
          .run = compare};
}

}  // namespace dflash
