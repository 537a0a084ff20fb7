// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/run_differences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "framework/core/json_differences.h"
#include "framework/core/json_syntax.h"

namespace dflash {
namespace {

constexpr std::size_t kMostNamed = 12;

Json member(const Json& object, const char* key) {
  return object.is_object() ? object.value(key, Json::object()) : Json::object();
}

/// "drafter.fc" of "stages.drafter.params.fc": what --set calls it.
std::string set_name(const std::string& key) {
  constexpr std::string_view kStages = "stages.";
  constexpr std::string_view kParams = ".params.";
  if (!key.starts_with(kStages)) {
    return key;
  }
  const std::string name = key.substr(kStages.size());
  const std::size_t params = name.find(kParams);
  return params == std::string::npos
             ? name
             : fmt::format("{}.{}", name.substr(0, params), name.substr(params + kParams.size()));
}

std::string change_text(const std::string& name, const JsonDifference& difference) {
  return fmt::format("{} ({} in A, {} in B)", name, shown_value(difference.before), shown_value(difference.now));
}

std::string list_of(const std::vector<std::string>& texts) {
  const std::size_t named = std::min(texts.size(), kMostNamed);
  return fmt::format("{}{}", fmt::join(texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(named), ", "),
                     texts.size() > named ? fmt::format(" and {} more", texts.size() - named) : "");
}

void add_graph_difference(const RunRecords& a, const RunRecords& b, std::vector<std::string>& notes) {
  std::vector<std::string> changes;
  for (const JsonDifference& difference : json_differences(a.graph, b.graph)) {
    changes.push_back(change_text(set_name(difference.key), difference));
  }
  if (!changes.empty()) {
    notes.push_back(fmt::format("the graphs differ in {}", list_of(changes)));
  }
}

void add_provenance_difference(const RunRecords& a, const RunRecords& b, std::vector<std::string>& notes) {
  const Json before = member(a.report, "provenance");
  const Json now = member(b.report, "provenance");
  for (const char* part : {"hardware", "versions"}) {
    std::vector<std::string> changes;
    for (const JsonDifference& difference : json_differences(member(before, part), member(now, part))) {
      changes.push_back(change_text(difference.key, difference));
    }
    if (!changes.empty()) {
      notes.push_back(fmt::format(
          "{}: {}",
          part == std::string_view{"hardware"} ? "the runs come from different machines" : "the versions differ",
          list_of(changes)));
    }
  }
  for (const char* key : {"device", "resumed_from_step"}) {
    const JsonDifference difference{key, before.value(key, Json{}), now.value(key, Json{})};
    if (difference.before != difference.now) {
      notes.push_back(fmt::format("the runs differ in {}", change_text(key, difference)));
    }
  }
}

void add_ending(const RunRecords& run, std::vector<std::string>& notes) {
  const Json outcome = member(run.report, "outcome");
  if (const Json code = outcome.value("code", Json{}); code.is_number() && code != 0) {
    notes.push_back(fmt::format("'{}' ended with code {}: {}", run.name, code.dump(), outcome.value("text", "")));
  }
}

}  // namespace

std::vector<std::string> run_differences(const RunRecords& a, const RunRecords& b) {
  std::vector<std::string> notes;
  add_graph_difference(a, b, notes);
  add_provenance_difference(a, b, notes);
  add_ending(a, notes);
  add_ending(b, notes);
  return notes;
}

}  // namespace dflash
