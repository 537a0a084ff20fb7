// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/run_differences.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

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
  constexpr std::string_view kEdges = "edges.";
  if (key.starts_with(kEdges)) {
    return key.substr(kEdges.size());
  }
  if (!key.starts_with(kStages)) {
    return key;
  }
  const std::string name = key.substr(kStages.size());
  const std::size_t params = name.find(kParams);
  return params == std::string::npos
             ? name
             : fmt::format("{}.{}", name.substr(0, params), name.substr(params + kParams.size()));
}

std::string side_text(const Json& value) { return value.is_null() ? "nothing" : shown_value(value); }

/// What a sentence calls the two that differ.
struct Names {
  std::string a = "A";
  std::string b = "B";
};

std::string change_text(const std::string& name, const JsonDifference& difference, const Names& names = {}) {
  return fmt::format("{} ({} in {}, {} in {})", name, side_text(difference.before), names.a, side_text(difference.now),
                     names.b);
}

/// {"edges": {"a.out->b.in": {"capacity": ...}}} of the list that a graph has; itself where its edges are not such.
Json with_named_edges(const Json& graph) {
  const auto edges = graph.find("edges");
  if (edges == graph.end() || !edges->is_array()) {
    return graph;
  }
  Json named = Json::object();
  for (Json edge : *edges) {
    if (!edge.is_object() || !edge.contains("from") || !edge.contains("to")) {
      return graph;
    }
    std::string name = text_of(edge["from"]) + "->" + text_of(edge["to"]);
    std::erase(name, '"');
    edge.erase("from");
    edge.erase("to");
    named[name] = std::move(edge);
  }
  Json changed = graph;
  changed["edges"] = std::move(named);
  return changed;
}

bool says_nothing(const Json& value) {
  const auto* text = value.get_ptr<const std::string*>();
  return value.is_null() || value == 0 || value == false || (text != nullptr && text->empty());
}

/// What only one side has is named key by key, but for what is 0, null or the like there: so is what is not given.
void expand(const JsonDifference& difference, std::vector<JsonDifference>& found) {
  const auto is_lone = [](const Json& one, const Json& other) {
    return one.is_object() && !one.empty() && other.is_null();
  };
  if (!is_lone(difference.before, difference.now) && !is_lone(difference.now, difference.before)) {
    found.push_back(difference);
    return;
  }
  const Json& lone = difference.before.is_null() ? difference.now : difference.before;
  const auto all_say_nothing = std::ranges::all_of(lone, says_nothing);
  for (const auto& [key, value] : lone.items()) {
    if (says_nothing(value) && !all_say_nothing) {
      continue;
    }
    expand({.key = difference.key + "." + key,
            .before = difference.before.is_null() ? Json() : value,
            .now = difference.before.is_null() ? value : Json()},
           found);
  }
}

std::string list_of(const std::vector<std::string>& texts) {
  const std::size_t named = std::min(texts.size(), kMostNamed);
  return fmt::format("{}{}", fmt::join(texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(named), ", "),
                     texts.size() > named ? fmt::format(" and {} more", texts.size() - named) : "");
}

void add_graph_difference(const RunRecords& a, const RunRecords& b, std::vector<std::string>& notes) {
  const std::vector<std::string> changes = graph_differences(a.graph, b.graph);
  if (!changes.empty()) {
    notes.push_back(fmt::format("the graphs differ in {}", list_of(changes)));
  }
}

std::vector<std::string> provenance_differences(const RunRecords& a, const RunRecords& b, const Names& names) {
  std::vector<std::string> notes;
  const Json before = member(a.report, "provenance");
  const Json now = member(b.report, "provenance");
  for (const char* part : {"hardware", "versions"}) {
    std::vector<std::string> changes;
    for (const JsonDifference& difference : json_differences(member(before, part), member(now, part))) {
      changes.push_back(change_text(difference.key, difference, names));
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
      notes.push_back(fmt::format("the runs differ in {}", change_text(key, difference, names)));
    }
  }
  return notes;
}

/// Every run against the first of A. Sides go by their letters where the runs of each are alike, else runs by their
/// names.
void add_provenance_differences(const std::vector<RunRecords>& a, const std::vector<RunRecords>& b,
                                std::vector<std::string>& notes) {
  const auto of_sides = [&](const RunRecords& run) { return provenance_differences(a.front(), run, {}); };
  std::vector<std::string> of_b = of_sides(b.front());
  const bool alike_a = std::ranges::all_of(a, [&](const RunRecords& run) { return of_sides(run).empty(); });
  const bool alike_b = std::ranges::all_of(b, [&](const RunRecords& run) { return of_sides(run) == of_b; });
  if (alike_a && alike_b) {
    std::ranges::move(of_b, std::back_inserter(notes));
    return;
  }
  for (const std::vector<RunRecords>* side : {&a, &b}) {
    for (const RunRecords& run : *side) {
      const Names names{.a = "'" + a.front().name + "'", .b = "'" + run.name + "'"};
      std::ranges::move(provenance_differences(a.front(), run, names), std::back_inserter(notes));
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

std::vector<std::string> graph_differences(const Json& a, const Json& b) {
  std::vector<JsonDifference> differences;
  for (const JsonDifference& difference : json_differences(with_named_edges(a), with_named_edges(b))) {
    expand(difference, differences);
  }
  std::vector<std::string> texts;
  std::ranges::transform(differences, std::back_inserter(texts), [](const JsonDifference& difference) {
    return change_text(set_name(difference.key), difference);
  });
  return texts;
}

std::vector<std::string> run_differences(const std::vector<RunRecords>& a, const std::vector<RunRecords>& b) {
  std::vector<std::string> notes;
  add_graph_difference(a.front(), b.front(), notes);
  add_provenance_differences(a, b, notes);
  for (const std::vector<RunRecords>* side : {&a, &b}) {
    for (const RunRecords& run : *side) {
      add_ending(run, notes);
    }
  }
  return notes;
}

}  // namespace dflash
