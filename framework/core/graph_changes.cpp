// SPDX-License-Identifier: Apache-2.0
#include "framework/core/graph_changes.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "framework/core/graph_keys.h"
#include "framework/core/json_spot.h"
#include "framework/core/json_syntax.h"
#include "framework/core/overlay.h"
#include "framework/core/param_section.h"
#include "framework/core/run_settings.h"

namespace dflash {
namespace {

constexpr std::size_t kMostKeys = kDeepestJson;  // of a path

struct Assignment {
  std::string source;  // "--set run.steps=40"
  std::vector<std::string> path;
  std::string value;
};

std::optional<Assignment> parse_assignment(std::string_view option, const std::string& text, Diagnostics& diagnostics) {
  Assignment parsed{.source = fmt::format("{} {}", option, text)};
  const std::size_t equals = text.find('=');
  const std::string left = text.substr(0, equals);
  std::size_t begin = 0;
  for (std::size_t dot = left.find('.'); dot != std::string::npos; dot = left.find('.', begin)) {
    parsed.path.push_back(left.substr(begin, dot - begin));
    begin = dot + 1;
  }
  parsed.path.push_back(left.substr(begin));
  const bool swaps = option == "--swap";
  const bool gap = std::ranges::any_of(parsed.path, &std::string::empty) || (swaps && equals + 1 == text.size());
  if (equals == std::string::npos || gap) {
    const char* allowed = swaps ? "STAGE=TYPE" : "PATH=VALUE, as in drafter.fc=split or run.steps=40";
    diagnostics.add(parsed.source, "", fmt::format("found '{}', allowed: {}", text, allowed));
    return std::nullopt;
  }
  if (parsed.path.size() > kMostKeys) {
    diagnostics.add(parsed.source.substr(0, kMostKeys) + "...", "",
                    fmt::format("the path has {} keys, allowed: at most {}", parsed.path.size(), kMostKeys));
    return std::nullopt;
  }
  parsed.value = text.substr(equals + 1);
  return parsed;
}

std::vector<std::string> keys_of(const JsonText& document, std::string_view section) {
  std::vector<std::string> keys;
  if (const auto spot = JsonSpot{document}.find(section)) {
    for (const auto& [key, value] : spot->members()) {
      keys.push_back(key);
    }
  }
  return keys;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// Removes what `known` has no parameter for; the names of what was removed go to `dropped`.
void drop_unknown(Json& value, JsonPlaces& places, const ParamSet& known, const std::string& prefix,
                  std::vector<std::string>& dropped) {
  Json kept = Json::object();
  std::vector<JsonPlaces> kept_places;
  std::size_t next = 0;
  for (auto& [key, child] : value.get_ref<Json::object_t&>()) {
    JsonPlaces& child_places = places.children.at(next++);
    const std::string name = prefix + key;
    const bool nested = child.is_object() && !keys_below(known, name + ".").empty();
    if (nested) {
      drop_unknown(child, child_places, known, name + ".", dropped);
    } else if (known.find_param(name) == nullptr) {
      dropped.push_back(name);
      continue;
    }
    kept.emplace(key, std::move(child));
    kept_places.push_back(std::move(child_places));
  }
  value = std::move(kept);
  places.children = std::move(kept_places);
}

// Every change is by name, so the order of keys is that of the document still.
JsonPlaces& places_of(JsonText& document, const std::vector<std::string>& path) {
  const Json* at = &document.value;
  JsonPlaces* places = &document.places;
  for (const std::string& key : path) {
    const auto& members = at->get_ref<const Json::object_t&>();
    const auto found = std::ranges::find_if(members, [&](const auto& member) { return member.first == key; });
    places = &places->children.at(static_cast<std::size_t>(found - members.begin()));
    at = &found->second;
  }
  return *places;
}

std::optional<std::string> apply_swap(JsonText& document, const Assignment& swap, const Catalog& catalog,
                                      Diagnostics& diagnostics) {
  const std::string& stage = swap.path.front();
  const std::vector<std::string> stages = keys_of(document, "stages");
  const Catalog::Entry* entry = catalog.find(swap.value);
  if (swap.path.size() != 1 || !contains(stages, stage)) {
    diagnostics.add_unknown(swap.source, "", "stage", fmt::format("{}", fmt::join(swap.path, ".")), stages);
    return std::nullopt;
  }
  if (entry == nullptr) {
    diagnostics.add_unknown(swap.source, "", "stage type", swap.value, catalog.type_names());
    return std::nullopt;
  }
  put_value(document, {"stages", stage, "type"}, swap.value, swap.source);
  Json& values = document.value["stages"][stage];
  const auto params = values.is_object() ? values.find("params") : values.end();
  std::vector<std::string> dropped;
  if (params != values.end() && params->is_object()) {
    const auto made = entry->make();
    drop_unknown(*params, places_of(document, {"stages", stage, "params"}), *made, "", dropped);
  }
  if (dropped.empty()) {
    return std::nullopt;
  }
  return fmt::format("{}: stage type '{}' has no {}; dropped", swap.source, swap.value, fmt::join(dropped, ", "));
}

Json value_of(const std::string& text) {
  Diagnostics ignored;
  std::optional<JsonText> parsed = parse_json_text(text, "", ignored);
  return parsed && ignored.empty() ? std::move(parsed->value) : Json(text);
}

bool is_utf8(const std::string& text) {
  const std::string replaced = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  return Json::parse(replaced).get_ref<const std::string&>() == text;
}

// A path without the keys that stand only in the file: "stages" before a stage and "params" behind it.
std::vector<std::string> without_file_keys(std::vector<std::string> path, const std::vector<std::string>& stages) {
  const bool has_stages = path.size() > 1 && path[0] == "stages";
  if (has_stages) {
    path.erase(path.begin());
  }
  if ((has_stages || contains(stages, path[0])) && path.size() > (has_stages ? 1U : 2U) && path[1] == "params") {
    path.erase(path.begin() + 1);
  }
  return path;
}

// Where in the document a path of --set points to; empty where it points nowhere, which is then a mistake.
std::vector<std::string> target_of(const JsonText& document, const Assignment& set, Diagnostics& diagnostics) {
  std::vector<std::string> path = set.path;
  const std::vector<std::string> stages = keys_of(document, "stages");
  const std::vector<std::string> variables = keys_of(document, "vars");
  const bool has_rest = path.size() > 1;
  const RunParams run;
  const std::vector<std::string> plain = without_file_keys(path, stages);
  if (plain.size() < path.size()) {
    diagnostics.add(
        set.source, "",
        fmt::format("a path begins with the stage, its parameter follows; did you mean '{}'?", fmt::join(plain, ".")));
  } else if (!has_rest && run.find_param(path[0]) != nullptr) {
    diagnostics.add(set.source, "", fmt::format("unknown stage or section '{0}'; did you mean 'run.{0}'?", path[0]));
  } else if (path.size() == 2 && path[1] == "type" && contains(stages, path[0])) {
    diagnostics.add(set.source, "", fmt::format("the type of a stage is changed by --swap {}={}", path[0], set.value));
  } else if (has_rest && path[0] == "vars" && !contains(variables, path[1])) {
    diagnostics.add_unknown(set.source, "", "variable", path[1], variables);
  } else if (has_rest && path[0] == "models" && path.size() == 2) {
    diagnostics.add(set.source, "", "allowed: models.SECTION.KEY=VALUE");
  } else if (has_rest && contains(kReservedNames, path[0])) {
    return path;
  } else if (has_rest && contains(stages, path[0])) {
    const bool frameworks = contains(kStageKeys, path[1]) && path[1] != "params" && path[1] != "type";
    path.insert(path.begin(), "stages");
    if (!frameworks) {
      path.insert(path.begin() + 2, "params");
    }
    return path;
  } else if (contains(stages, path[0])) {
    diagnostics.add(set.source, "", fmt::format("allowed: {}.PARAMETER=VALUE", path[0]));
  } else if (contains(kReservedNames, path[0])) {
    diagnostics.add(set.source, "", fmt::format("allowed: {}.KEY=VALUE", path[0]));
  } else {
    std::vector<std::string> known = stages;
    known.insert(known.end(), kReservedNames.begin(), kReservedNames.end());
    diagnostics.add_unknown(set.source, "", "stage or section", path[0], known);
  }
  return {};
}

}  // namespace

std::vector<std::string> apply_swaps(JsonText& document, const std::vector<std::string>& swaps, const Catalog& catalog,
                                     Diagnostics& diagnostics) {
  std::vector<std::string> notes;
  for (const std::string& text : swaps) {
    const auto swap = parse_assignment("--swap", text, diagnostics);
    const auto note = swap ? apply_swap(document, *swap, catalog, diagnostics) : std::nullopt;
    if (note) {
      notes.push_back(*note);
    }
  }
  return notes;
}

void apply_sets(JsonText& document, const std::vector<std::string>& sets, Diagnostics& diagnostics) {
  for (const std::string& text : sets) {
    if (!is_utf8(text)) {
      diagnostics.add("--set", "", "found bytes that are no UTF-8, allowed: UTF-8 text");
      continue;
    }
    const auto set = parse_assignment("--set", text, diagnostics);
    const std::vector<std::string> path = set ? target_of(document, *set, diagnostics) : std::vector<std::string>{};
    if (path.empty()) {
      continue;
    }
    const std::vector<std::string> in_the_way = put_value(document, path, value_of(set->value), set->source);
    if (!in_the_way.empty()) {
      diagnostics.add(set->source, "",
                      fmt::format("'{}' is no object, so nothing can be set inside it", fmt::join(in_the_way, ".")));
    }
  }
}

}  // namespace dflash
