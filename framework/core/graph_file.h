// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "framework/core/catalog.h"
#include "framework/core/diagnostics.h"
#include "framework/core/graph.h"
#include "framework/core/json.h"
#include "framework/core/json_text.h"
#include "framework/core/run_settings.h"

namespace dflash {

/// A graph file and what the command line changes in it, in this order.
struct GraphRequest {
  std::filesystem::path path;
  std::vector<std::filesystem::path> overlays;  // --overlay FILE: merged by RFC 7396, arrays replace
  std::vector<std::string> swaps;               // --swap STAGE=TYPE
  std::vector<std::string> sets;                // --set PATH=VALUE: STAGE.param, run.key, vars.name, models.section.key
};

/// The parameter sets of the application that a graph file fills. Null or empty: the application has none.
struct GraphSections {
  std::vector<std::pair<std::string, ParamSet*>> models;
  ParamSet* evaluate = nullptr;
};

/// What a graph file says. Nothing in it has been opened; no file that it names has been looked at. Where there were
/// mistakes, what they concern is missing or has its default.
struct GraphFile {
  std::string name;
  Graph graph;
  RunSettings run;
  std::vector<std::string> given_models;  // the sections of "models" that the graph has
  Json resolved;  // the graph after overlays, with every value, defaults included; itself a graph file
  Json origins;   // JSON pointer into `resolved` to "graphs/train.json:12:5", "--set run.steps=40", "default"
  std::vector<std::string> warnings;
  JsonText document;  // after all changes; says where each value was written
};

/// Reads and changes a graph. Adds every mistake: place, JSON pointer, what was found, what is allowed, the nearest
/// name. Throws UserError, with all mistakes so far, only where there is no graph to go on with.
GraphFile read_graph(const GraphRequest& request, const Catalog& catalog, const GraphSections& sections,
                     Diagnostics& diagnostics);

}  // namespace dflash
