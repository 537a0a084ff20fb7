// SPDX-License-Identifier: Apache-2.0
#include "stages/session/start_weights.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/json_syntax.h"
#include "framework/core/named_path.h"
#include "stages/export/drafter_folder.h"

namespace dflash {
namespace {

constexpr std::string_view kSection = "/models/drafter";

/// How long rows may be, how weights are drawn, what is only passed on, and what is said twice.
const std::vector<std::string> kOfNoMatter{
    "max_position_embeddings", "initializer_range", "bos_token_id", "eos_token_id", "pad_token_id",
    "dflash_config.block_size"};

void compare(const Json& stored, const Json& graph, const std::string& prefix, std::vector<std::string>& found) {
  Json keys = graph;
  keys.update(stored);  // bidirectional sliding layers have keys of their own
  for (const auto& entry : keys.items()) {
    const std::string& key = entry.key();
    const std::string name = prefix + key;
    const Json had = stored.value(key, Json());
    const Json wanted = graph.value(key, Json());
    if (had.is_object() && wanted.is_object()) {
      compare(had, wanted, name + ".", found);
    } else if (had != wanted && std::ranges::find(kOfNoMatter, name) == kOfNoMatter.end()) {
      found.push_back(fmt::format("{}: found {}, but the graph has {}", name, shown_value(had), shown_value(wanted)));
    }
  }
}

}  // namespace

std::vector<std::string> differences(const DrafterConfig& stored, const DrafterConfig& graph) {
  std::vector<std::string> found;
  compare(drafter_config_json(stored, ""), drafter_config_json(graph, ""), "", found);
  return found;
}

void check_start_weights(const DrafterSection& section, const DrafterConfig& config, GraphMistakes& mistakes) {
  const std::string& folder = section.start_folder();
  if (folder.empty()) {
    return;
  }
  const ParamBase& param = section.start_param();
  if (const auto problem = path_problem(folder, PathKind::kFolder, "drafter's folder")) {
    mistakes.add(kSection, param, *problem);
    return;
  }
  try {
    const DrafterConfig stored = read_drafter_folder_config(folder, config.num_target_layers);
    for (const std::string& difference : differences(stored, config)) {
      mistakes.add(kSection, param, fmt::format("{}: {}", config_file_in(folder).string(), difference));
    }
    if (!mistakes.has_any_at(param_pointer(kSection, param))) {
      check_drafter_folder_weights(config, folder);
    }
  } catch (const UserError& error) {
    mistakes.add(kSection, param, error.what());
  }
}

}  // namespace dflash
