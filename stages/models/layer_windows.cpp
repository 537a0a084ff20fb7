// SPDX-License-Identifier: Apache-2.0
#include "stages/models/layer_windows.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "framework/core/json_syntax.h"

namespace dflash {
namespace {

constexpr std::int64_t kMostLayers = 1024;  // a bound for what is laid out layer by layer

/// `layer_types`, where it is there; none, and a fault, where it is not one known kind for each layer.
std::optional<std::vector<LayerKind>> read_layer_types(ConfigFields& fields, std::int64_t num_layers) {
  const Json* found = fields.find("layer_types");
  if (found == nullptr) {
    return std::nullopt;
  }
  std::vector<LayerKind> kinds;
  for (const Json& name : found->is_array() ? *found : Json::array()) {
    for (const LayerKind kind : {LayerKind::kFull, LayerKind::kSliding}) {
      if (name == layer_type(kind)) {
        kinds.push_back(kind);
      }
    }
  }
  if (!found->is_array() || kinds.size() != found->size() || std::ssize(kinds) != num_layers) {
    fields.add_fault(fmt::format(
        "layer_types is {}, allowed: 'full_attention' or 'sliding_attention' for each of {} layers (num_hidden_layers)",
        shown_value(*found), num_layers));
    return std::nullopt;
  }
  return kinds;
}

/// Without `layer_types` the layers from `max_window_layers` on slide.
std::vector<LayerKind> default_layer_types(ConfigFields& fields, std::int64_t num_layers, bool windowed) {
  constexpr std::int64_t kDefault = 28;  // of transformers
  const std::int64_t first = windowed ? fields.optional_integer("max_window_layers", 0).value_or(kDefault) : num_layers;
  std::vector<LayerKind> kinds;
  for (std::int64_t layer = 0; layer < num_layers; ++layer) {
    kinds.push_back(layer >= first ? LayerKind::kSliding : LayerKind::kFull);
  }
  return kinds;
}

}  // namespace

LayerWindows read_layer_windows(ConfigFields& fields, const FamilyTraits& traits, std::int64_t num_layers) {
  const bool used = fields.boolean("use_sliding_window", false);
  const std::optional<std::int64_t> window = fields.optional_integer("sliding_window", 1);
  if (!traits.may_slide && (used || window)) {
    fields.add_fault(fmt::format("{} has no sliding layers; found use_sliding_window {}, sliding_window {}",
                                 traits.architecture, used, window ? fmt::to_string(*window) : "null"));
  }
  if (num_layers > kMostLayers) {
    fields.add_fault(fmt::format("num_hidden_layers is {}, allowed: 1 to {}", num_layers, kMostLayers));
    return {};
  }
  const bool windowed = traits.may_slide && used && window;
  const auto written = read_layer_types(fields, num_layers);
  auto kinds = written ? *written : default_layer_types(fields, num_layers, windowed);
  if (std::ranges::find(kinds, LayerKind::kSliding) == kinds.end()) {
    return {};
  }
  if (!windowed) {
    fields.add_fault(traits.may_slide
                         ? "layer_types has sliding layers, which need use_sliding_window true and sliding_window"
                         : fmt::format("{} has no sliding layers; found some in layer_types", traits.architecture));
    return {};
  }
  return {.types = std::move(kinds), .window = *window};
}

void write_layer_windows(const LayerWindows& windows, Json& json) {
  const bool slides = windows.window > 0;
  json["use_sliding_window"] = slides;
  if (slides) {
    json["sliding_window"] = windows.window;
    json["layer_types"] = Json::array();
    for (const LayerKind kind : windows.types) {
      json["layer_types"].push_back(layer_type(kind));
    }
  }
}

}  // namespace dflash
