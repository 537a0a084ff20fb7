// SPDX-License-Identifier: Apache-2.0
#include "stages/session/model_sections.h"

#include <fstream>

#include <nlohmann/json.hpp>

#include "framework/core/error.h"

namespace dflash {
namespace {

Json read_json(const std::string& path) {
  std::ifstream file{path};
  DFLASH_USER_CHECK(file.good(), "models.drafter.config: cannot read '{}'", path);
  try {
    Json json = Json::parse(file, nullptr, /*allow_exceptions=*/true, /*ignore_comments=*/true);
    DFLASH_USER_CHECK(json.is_object(), "{}: a drafter configuration must be a JSON object", path);
    return json;
  } catch (const Json::parse_error& error) {
    throw UserError(fmt::format("{}: not JSON: {}", path, error.what()));
  }
}

void fill_from_target(const TargetConfig& target, Json& json) {
  const Json settled{{"hidden_size", target.hidden_size},
                     {"vocab_size", target.vocab_size},
                     {"num_target_layers", target.num_hidden_layers},
                     {"rope_theta", target.rope_theta},
                     {"rms_norm_eps", target.rms_norm_eps},
                     {"max_position_embeddings", target.max_position_embeddings}};
  for (const auto& [key, value] : settled.items()) {
    if (!json.contains(key)) {
      json[key] = value;
    }
  }
}

void set_layer_types(const std::string& layout, Json& json) {
  Json types = Json::array();
  const std::int64_t layers = json.value("num_hidden_layers", std::int64_t{0});
  for (const LayerKind kind : layer_kinds(layout, layers)) {
    types.push_back(kind == LayerKind::kSliding ? "sliding_attention" : "full_attention");
  }
  json["layer_types"] = std::move(types);
  json["use_sliding_window"] = layout != "full";
}

void override_values(const DrafterSection& section, Json& json) {
  if (section.block_size()) {
    json["block_size"] = *section.block_size();
    json["dflash_config"]["block_size"] = *section.block_size();
  }
  if (section.layers()) {
    set_layer_types(*section.layers(), json);
  }
  if (section.window()) {
    json["sliding_window"] = *section.window();
  }
  if (!section.taps().empty()) {
    json["dflash_config"]["target_layer_ids"] = section.taps();
  }
}

void check_fit(const DrafterConfig& drafter, const TargetConfig& target, const std::string& place) {
  DFLASH_USER_CHECK(
      drafter.hidden == target.hidden_size,
      "{}: 'hidden_size' must be the target's, since the drafter uses its embedding and head; found {}, target {}",
      place, drafter.hidden, target.hidden_size);
  DFLASH_USER_CHECK(drafter.num_target_layers == target.num_hidden_layers,
                    "{}: 'num_target_layers' must be the target's; found {}, target {}", place,
                    drafter.num_target_layers, target.num_hidden_layers);
  DFLASH_USER_CHECK(drafter.vocab_size == target.vocab_size,
                    "{}: 'vocab_size' must be the target's; found {}, target {}", place, drafter.vocab_size,
                    target.vocab_size);
}

}  // namespace

DrafterConfig resolve_drafter_config(const DrafterSection& section, const TargetConfig& target) {
  DFLASH_USER_CHECK(!section.config().empty(),
                    "models.drafter.config: missing; allowed: a JSON file with the drafter's shape");
  Json json = read_json(section.config());
  fill_from_target(target, json);
  override_values(section, json);
  DrafterConfig config = parse_drafter_config(json, section.config());
  check_fit(config, target, section.config());
  return config;
}

}  // namespace dflash
