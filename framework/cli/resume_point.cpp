// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/resume_point.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/cli/plugin_changes.h"
#include "framework/core/error.h"
#include "framework/core/json_differences.h"
#include "framework/core/json_syntax.h"

namespace dflash {
namespace {

constexpr std::size_t kKeysNamed = 8;

bool is_or_is_below(const std::string& key, const std::string& parent) {
  return key == parent || key.starts_with(parent + ".");
}

bool may_change(const std::string& key) {
  for (const char* allowed :
       {"run.steps", "run.evaluate", "run.checkpoint", "run.stall_timeout_s", "run.stop_timeout_s", "run.order_seed"}) {
    if (is_or_is_below(key, allowed)) {
      return true;
    }
  }
  if (!key.starts_with("stages.")) {
    return false;
  }
  const std::size_t name_end = key.find('.', std::string_view{"stages."}.size());
  return name_end != std::string::npos && is_or_is_below(key.substr(name_end + 1), "inject");
}

/// What the earlier run was.
struct EarlierRun {
  Json graph;
  std::vector<std::string> plugin_changes;  // since then
};

EarlierRun read_earlier(const RunDirectory& directory, const Json& graph, const Json& plugins) {
  const std::string file = directory.resolved().string();
  EarlierRun earlier = read_written(parse_or_discard(read_text(file)), file, [&](const Json& resolved) -> EarlierRun {
    return {resolved.at("graph"), plugin_changes(resolved.value("plugins", Json::object()), plugins, graph)};
  });
  DFLASH_USER_CHECK(earlier.graph.is_object(), "'{}' is damaged: its graph is no object", file);
  return earlier;
}

/// True where the earlier run ended by itself, so that more of the same would do nothing.
bool ended_by_itself(const RunDirectory& directory) {
  if (!std::filesystem::exists(directory.report_json())) {
    return false;
  }
  const Json report = parse_or_discard(read_text(directory.report_json()));
  const Json::json_pointer code{"/outcome/code"};
  return report.contains(code) && report.at(code) == 0;
}

std::vector<JsonDifference> forbidding_differences(const Json& before, const Json& now) {
  std::vector<JsonDifference> differences = json_differences(before, now);
  std::erase_if(differences, [](const JsonDifference& difference) { return may_change(difference.key); });
  return differences;
}

/// Throws UserError where the two graphs differ in a key that may not.
void require_same_graph(const RunDirectory& directory, const Json& before, const Json& now) {
  std::vector<std::string> keys;
  for (const auto& [key, had, has] : forbidding_differences(before, now)) {
    keys.push_back(fmt::format("{} (then {}, now {})", key, shown_value(had), shown_value(has)));
  }
  const std::size_t count = keys.size();
  keys.resize(std::min(count, kKeysNamed));
  DFLASH_USER_CHECK(
      count == 0,
      "cannot resume '{}': its graph differs from this one in {}{}; allowed to differ: run.steps, run.evaluate, "
      "run.checkpoint, timeouts, order_seed, inject",
      directory.path().string(), fmt::join(keys, ", "),
      count > kKeysNamed ? fmt::format(" and {} more", count - kKeysNamed) : "");
}

/// Where the earlier run left no checkpoint at all.
ResumePoint without_checkpoint(const RunDirectory& directory, const Json& before, const ResumeGoal& goal) {
  const std::string path = directory.path().string();
  const Json::json_pointer steps{"/run/steps"};
  const bool shall_do_more = goal.drives_steps && before.contains(steps) && goal.steps > before.at(steps);
  if (ended_by_itself(directory) && !shall_do_more) {
    return {
        .finished = true, .checkpoint = {}, .notes = {fmt::format("the run in '{}' is finished: nothing to do", path)}};
  }
  DFLASH_USER_CHECK(goal.drives_steps,
                    "cannot resume '{}': it did not come to its end, and a graph without a stage that makes steps has "
                    "no checkpoints to go on from; allowed: --force to replace that run and what it wrote, or another "
                    "--run-dir",
                    path);
  return {.checkpoint = {}, .notes = {fmt::format("no sound checkpoint in '{}': starting afresh", path)}};
}

}  // namespace

std::vector<std::string> keys_that_forbid_resume(const Json& before, const Json& now) {
  std::vector<std::string> keys;
  for (const JsonDifference& difference : forbidding_differences(before, now)) {
    keys.push_back(difference.key);
  }
  return keys;
}

ResumePoint find_resume_point(const RunDirectory& directory, const Json& graph, const ResumeGoal& goal) {
  ResumePoint point;
  if (!RunDirectory::is_run_directory(directory.path())) {
    point.notes.push_back(fmt::format("nothing to resume in '{}': starting afresh", directory.path().string()));
    return point;
  }
  const EarlierRun earlier = read_earlier(directory, graph, goal.plugins);
  require_same_graph(directory, earlier.graph, graph);
  NewestValid newest = CheckpointStore{directory.checkpoints()}.newest_valid();
  if (!newest.checkpoint && newest.skipped.empty()) {
    return without_checkpoint(directory, earlier.graph, goal);
  }
  DFLASH_USER_CHECK(newest.checkpoint,
                    "cannot resume '{}': none of its {} checkpoints is sound (the newest: {}); allowed: --force to "
                    "replace that run, or another --run-dir",
                    directory.path().string(), newest.skipped.size(), newest.skipped.front().reason);
  for (const auto& skipped : newest.skipped) {
    point.notes.push_back(
        fmt::format("skipped the damaged checkpoint '{}': {}", skipped.folder.string(), skipped.reason));
  }
  point.checkpoint = std::move(newest.checkpoint);
  const bool has_all_steps = goal.steps > 0 && point.checkpoint->step >= goal.steps;
  point.finished = ended_by_itself(directory) && (goal.steps == 0 || has_all_steps);
  point.only_the_end_is_left = !point.finished && has_all_steps;
  point.notes.push_back(
      point.finished
          ? fmt::format("the run in '{}' is finished (step {}): nothing to do", directory.path().string(),
                        point.checkpoint->step)
          : fmt::format("resuming from step {} ('{}'){}", point.checkpoint->step, point.checkpoint->folder.string(),
                        point.only_the_end_is_left ? ": all steps are done, what follows the last is left" : ""));
  if (!point.finished) {
    std::ranges::copy(earlier.plugin_changes, std::back_inserter(point.notes));
  }
  return point;
}

}  // namespace dflash
