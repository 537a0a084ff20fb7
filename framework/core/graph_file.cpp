// SPDX-License-Identifier: Apache-2.0
#include "framework/core/graph_file.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "framework/core/graph_builder.h"
#include "framework/core/graph_changes.h"
#include "framework/core/graph_keys.h"
#include "framework/core/json_text.h"
#include "framework/core/overlay.h"
#include "framework/core/param_section.h"
#include "framework/core/variables.h"

namespace dflash {
namespace {

JsonText read_document(const GraphRequest& request, Diagnostics& diagnostics) {
  JsonText document = read_json_file(request.path, "graph file", diagnostics);
  std::vector<JsonText> overlays;
  overlays.reserve(request.overlays.size());
  for (const std::filesystem::path& path : request.overlays) {
    overlays.push_back(read_json_file(path, "overlay file", diagnostics));
  }
  bool all_objects = check_object(JsonSpot{document}, "an object", diagnostics);
  for (const JsonText& overlay : overlays) {
    all_objects = check_object(JsonSpot{overlay}, "an object", diagnostics) && all_objects;
  }
  if (!all_objects) {
    diagnostics.throw_if_any();
  }
  for (const JsonText& overlay : overlays) {
    merge_overlay(document, overlay);
  }
  return document;
}

class GraphReader {
 public:
  GraphReader(const JsonText& document, const Catalog& catalog, Diagnostics& diagnostics)
      : root_{document}, catalog_{catalog}, diagnostics_{diagnostics} {}

  void read(const GraphSections& sections) {
    check_keys(root_, kGraphKeys, diagnostics_);
    read_head();
    read_models(sections.models);
    if (const auto lanes = root_.find("lanes")) {
      diagnostics_.add(lanes->key_place(), lanes->pointer(), "'lanes' is not supported in this version");
    }
    read_topology();
    read_run(sections.evaluate);
  }

  GraphFile take() {
    return {.name = std::move(name_),
            .graph = std::move(graph_),
            .run = settings_of(run_, evaluates_),
            .given_models = std::move(given_models_),
            .resolved = resolved_.graph(),
            .origins = resolved_.origins(),
            .warnings = {},
            .document = {}};
  }

 private:
  void read_head() {
    if (const auto schema = required_string(root_, "schema", diagnostics_); schema && *schema != kGraphSchema) {
      const auto spot = *root_.find("schema");
      diagnostics_.add(spot.place(), spot.pointer(), found_text(spot.value(), fmt::format("\"{}\"", kGraphSchema)));
    }
    const auto name = required_string(root_, "name", diagnostics_);
    if (name && (name->empty() || name->front() == '.' || name->find_first_of("/\\") != std::string::npos)) {
      const auto spot = *root_.find("name");
      diagnostics_.add(spot.place(), spot.pointer(),
                       found_text(spot.value(), "a name for folders: not empty, no slash, no dot in front"));
    }
    name_ = name.value_or("");
    resolved_.put("schema", kGraphSchema);
    resolved_.put("name", name_);
    note("schema");
    note("name");
    if (const auto vars = root_.find("vars")) {
      resolved_.put("vars", vars->value());
      for (const auto& [key, spot] : vars->members()) {
        resolved_.note_origin(spot.pointer(), spot.place());
      }
    }
  }

  void note(const char* key) {
    if (const auto spot = root_.find(key)) {
      resolved_.note_origin(spot->pointer(), spot->place());
    }
  }

  void read_models(const std::vector<std::pair<std::string, ParamSet*>>& sections) {
    const auto models = root_.find("models");
    if (!models || !check_object(*models, "an object of sections", diagnostics_)) {
      return;
    }
    std::vector<std::string> known;
    Json values = Json::object();
    for (const auto& [name, params] : sections) {
      known.push_back(name);
      if (const auto section = models->find(name)) {
        given_models_.push_back(name);
        read_params(*section, *params, fmt::format("models.{}", name), diagnostics_);
        values[name] = write_params(*params, section, section->pointer(), resolved_);
      }
    }
    for (const auto& [name, spot] : models->members()) {
      if (std::ranges::find(known, name) == known.end()) {
        diagnostics_.add_unknown(spot.key_place(), models->pointer(), "section", name, known);
      }
    }
    resolved_.put("models", std::move(values));
  }

  void read_topology() {
    GraphBuilder builder{catalog_, diagnostics_, resolved_};
    const auto stages = root_.find("stages");
    const auto edges = root_.find("edges");
    for (const char* key : {"stages", "edges"}) {
      if (!root_.find(key)) {
        diagnostics_.add(root_.place(), "", fmt::format("the key '{}' is missing", key));
      }
    }
    if (stages) {
      builder.add_stages(*stages);
    }
    if (stages && edges) {
      builder.add_edges(*edges);
      builder.check_structure(*stages);
    }
    graph_ = builder.take();
  }

  void read_run(ParamSet* evaluate) {
    const auto run = root_.find("run");
    if (run) {
      read_params(*run, run_, "the section run", diagnostics_, {"evaluate"});
    }
    check_device(run);
    Json values = write_params(run_, run, "/run", resolved_);
    const auto spot = run ? run->find("evaluate") : std::nullopt;
    values["evaluate"] = false;
    if (!spot || (spot->value().is_boolean() && !spot->value().get<bool>())) {
      resolved_.note_origin("/run/evaluate", spot ? spot->place() : "default");
    } else if (evaluate == nullptr) {
      diagnostics_.add(spot->place(), spot->pointer(),
                       found_text(spot->value(), "false; this program evaluates nothing"));
    } else if (check_object(*spot, "an object, or false", diagnostics_)) {
      evaluates_ = true;
      read_params(*spot, *evaluate, "run.evaluate", diagnostics_);
      values["evaluate"] = write_params(*evaluate, spot, spot->pointer(), resolved_);
    }
    resolved_.put("run", std::move(values));
  }

  void check_device(const std::optional<JsonSpot>& run) {
    const auto spot = run ? run->find("device") : std::nullopt;
    if (spot && spot->value().is_string() && !is_device_name(spot->value().get<std::string>(), true)) {
      diagnostics_.add(spot->place(), spot->pointer(),
                       found_text(spot->value(), "auto | cpu | cuda:N | sim:N, as in cuda:0"));
    }
  }

  JsonSpot root_;
  const Catalog& catalog_;
  Diagnostics& diagnostics_;
  ResolvedGraph resolved_;
  std::string name_;
  Graph graph_;
  RunParams run_;
  bool evaluates_ = false;
  std::vector<std::string> given_models_;
};

}  // namespace

GraphFile read_graph(const GraphRequest& request, const Catalog& catalog, const GraphSections& sections,
                     Diagnostics& diagnostics) {
  JsonText document = read_document(request, diagnostics);
  std::vector<std::string> warnings = apply_swaps(document, request.swaps, catalog, diagnostics);
  apply_sets(document, request.sets, diagnostics);
  for (const std::string& name : substitute_variables(document, diagnostics)) {
    warnings.push_back(fmt::format("variable '{}' is used nowhere", name));
  }
  GraphReader reader{document, catalog, diagnostics};
  reader.read(sections);
  GraphFile file = reader.take();
  if (diagnostics.empty()) {
    for (const std::string& problem : file.graph.problems()) {
      diagnostics.add(request.path.string(), "", problem);
    }
  }
  file.warnings = std::move(warnings);
  for (std::string& warning : file.graph.warnings()) {
    file.warnings.push_back(std::move(warning));
  }
  file.document = std::move(document);
  return file;
}

}  // namespace dflash
