// SPDX-License-Identifier: Apache-2.0
#include "stages/session/start_weights.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/json_differences.h"
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

}  // namespace

std::vector<std::string> differences(const DrafterConfig& stored, const DrafterConfig& graph) {
  std::vector<std::string> found;
  for (const auto& [key, had, wanted] :
       json_differences(drafter_config_json(stored, ""), drafter_config_json(graph, ""))) {
    if (std::ranges::find(kOfNoMatter, key) == kOfNoMatter.end()) {
      found.push_back(fmt::format("{}: found {}, but the graph has {}", key, shown_value(had), shown_value(wanted)));
    }
  }
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
