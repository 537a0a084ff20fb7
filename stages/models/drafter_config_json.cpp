// SPDX-License-Identifier: Apache-2.0
// The z-lab `config.json`, read and written. Serving code takes silent defaults for many absent keys, so reading
// refuses what it does not know and writing leaves nothing out.
#include <algorithm>
#include <optional>

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/json_spot.h"
#include "framework/core/json_syntax.h"
#include "stages/models/config_key_reader.h"
#include "stages/models/drafter_config.h"

namespace dflash {
namespace {

const std::vector<std::string> kTopKeys{"architectures",
                                        "auto_map",
                                        "model_type",
                                        "block_size",
                                        "dflash_config",
                                        "num_target_layers",
                                        "hidden_size",
                                        "intermediate_size",
                                        "num_hidden_layers",
                                        "num_attention_heads",
                                        "num_key_value_heads",
                                        "head_dim",
                                        "layer_types",
                                        "use_sliding_window",
                                        "sliding_window",
                                        "max_window_layers",
                                        "sliding_window_non_causal",
                                        "is_causal",
                                        "rope_theta",
                                        "rope_scaling",
                                        "rope_parameters",
                                        "rms_norm_eps",
                                        "max_position_embeddings",
                                        "vocab_size",
                                        "tie_word_embeddings",
                                        "dtype",
                                        "torch_dtype",
                                        "attention_bias",
                                        "attention_dropout",
                                        "hidden_act",
                                        "initializer_range",
                                        "bos_token_id",
                                        "eos_token_id",
                                        "pad_token_id",
                                        "use_cache",
                                        "transformers_version"};
const std::vector<std::string> kInnerKeys{"mask_token_id", "target_layer_ids", "block_size"};

void read_layer_types(const Json& json, ConfigKeyReader& reader, DrafterConfig& config) {
  bool use_window = false;
  reader.read("use_sliding_window", use_window);
  reader.read("sliding_window", config.window);
  if (!reader.has("layer_types")) {
    const LayerKind kind = use_window ? LayerKind::kSliding : LayerKind::kFull;
    config.layer_types.assign(static_cast<std::size_t>(std::clamp<std::int64_t>(config.layers, 0, 1024)), kind);
  } else if (!json.at("layer_types").is_array()) {
    reader.fault({"layer_types"}, "found {}, allowed: a list", shown_value(json.at("layer_types")));
  } else {
    for (const auto& entry : json.at("layer_types")) {
      if (entry != layer_type(LayerKind::kFull) && entry != layer_type(LayerKind::kSliding)) {
        reader.fault({"layer_types"}, "found {}, allowed: \"full_attention\", \"sliding_attention\"",
                     shown_value(entry));
      }
      config.layer_types.push_back(entry == layer_type(LayerKind::kSliding) ? LayerKind::kSliding : LayerKind::kFull);
    }
  }
  if (config.has(LayerKind::kSliding) && reader.has("use_sliding_window") && !use_window) {
    reader.fault({"use_sliding_window", "layer_types"}, "found false, but layer_types has sliding layers");
  }
}

void read_causality(ConfigKeyReader& reader, DrafterConfig& config) {
  bool causal = config.sliding_causal;
  bool non_causal = !config.sliding_causal;
  reader.read("is_causal", causal);
  reader.read("sliding_window_non_causal", non_causal);
  if (reader.has("is_causal") && causal && config.has(LayerKind::kFull)) {
    reader.fault({"is_causal"}, "found true, which makes full layers causal too and is not supported; leave it out");
  }
  if (reader.has("is_causal") && reader.has("sliding_window_non_causal") && causal == non_causal) {
    reader.fault({"is_causal", "sliding_window_non_causal"}, "found {}, which contradicts sliding_window_non_causal",
                 causal);
  }
  config.sliding_causal = causal && !non_causal;
}

void read_dflash_config(const Json& json, ConfigFaults& faults, DrafterConfig& config) {
  if (!json.contains("dflash_config") || !json.at("dflash_config").is_object()) {
    faults.add({"dflash_config"}, "is missing: an object with mask_token_id and target_layer_ids");
    return;
  }
  ConfigKeyReader reader(json.at("dflash_config"), "dflash_config.", kInnerKeys, faults);
  reader.need("mask_token_id", config.mask_token_id);
  reader.read("target_layer_ids", config.target_layer_ids);
  const std::int64_t outer = config.block_size;
  reader.read("block_size", config.block_size);
  if (outer != 0 && outer != config.block_size) {
    reader.fault({"block_size"}, "found {}, but the block_size outside is {}", config.block_size, outer);
  }
  if (config.block_size == 0) {
    faults.add({"block_size"}, "is missing");
  }
}

void read_sizes(ConfigKeyReader& reader, DrafterConfig& config) {
  reader.need("hidden_size", config.hidden);
  reader.need("intermediate_size", config.intermediate);
  reader.need("num_hidden_layers", config.layers);
  reader.need("num_attention_heads", config.heads);
  reader.need("num_target_layers", config.num_target_layers);
  reader.need("vocab_size", config.vocab_size);
  config.kv_heads = config.heads;
  config.head_dim = config.heads > 0 ? config.hidden / config.heads : 0;
  reader.read("num_key_value_heads", config.kv_heads);
  reader.read("head_dim", config.head_dim);
  reader.read("block_size", config.block_size);
  reader.read("rms_norm_eps", config.rms_norm_eps);
  reader.read("max_position_embeddings", config.max_position_embeddings);
  reader.read("bos_token_id", config.bos_token_id);
  reader.read("eos_token_id", config.eos_token_id);
  reader.read("pad_token_id", config.pad_token_id);
  reader.read("initializer_range", config.initializer_range);
}

void read_rope(const Json& json, ConfigKeyReader& reader, DrafterConfig& config) {
  reader.read("rope_theta", config.rope_theta);
  reader.fixed("rope_scaling", nullptr);
  if (!reader.has("rope_parameters")) {
    return;
  }
  const Json& rope = json.at("rope_parameters");
  const bool plain = rope.is_object() && (!rope.contains("rope_type") || rope.at("rope_type") == "default") &&
                     rope.contains("rope_theta") && rope.at("rope_theta").is_number();
  const double theta = plain ? rope.at("rope_theta").get<double>() : 0.0;
  if (!plain || (reader.has("rope_theta") && theta != config.rope_theta)) {
    reader.fault({"rope_parameters", "rope_theta"},
                 "found {}, allowed: an object with rope_type \"default\" and the same rope_theta as outside",
                 shown_value(rope));
    return;
  }
  config.rope_theta = theta;
}

void choose_taps(DrafterConfig& config, ConfigFaults& faults) {
  try {
    config.target_layer_ids = default_target_layer_ids(config.num_target_layers, config.layers);
  } catch (const UserError& error) {
    faults.add({"dflash_config.target_layer_ids", "num_target_layers"}, "is missing, and {}", error.what());
  }
}

}  // namespace

DrafterConfig parse_drafter_config(const Json& json, ConfigFaults& faults) {
  DrafterConfig config;
  if (!json.is_object()) {
    faults.add({""}, "found {}, allowed: an object", shown_value(json));
    return config;
  }
  ConfigKeyReader reader(json, "", kTopKeys, faults);
  reader.fixed("architectures", Json::array({"DFlashDraftModel"}));
  reader.fixed("model_type", "qwen3");
  reader.fixed("attention_bias", false);
  reader.fixed("attention_dropout", 0.0);
  reader.fixed("hidden_act", "silu");
  read_sizes(reader, config);
  read_rope(json, reader, config);
  read_layer_types(json, reader, config);
  read_causality(reader, config);
  read_dflash_config(json, faults, config);
  if (faults.empty() && config.target_layer_ids.empty()) {
    choose_taps(config, faults);
  }
  if (faults.empty()) {
    check_drafter_config(config, faults);
  }
  return config;
}

DrafterConfig load_drafter_config(const std::string& path) {
  Diagnostics diagnostics;
  const JsonText text = read_json_file(path, "configuration of a drafter", diagnostics);
  ConfigFaults faults;
  DrafterConfig config = parse_drafter_config(text.value, faults);
  for (const ConfigFaults::Fault& fault : faults.faults()) {
    diagnostics.add(place_of_key(text, fault.keys.front()), fault.keys.front(), fault.message);
  }
  diagnostics.throw_if_any();
  return config;
}

std::string place_of_key(const JsonText& text, std::string_view key) {
  JsonSpot spot{text};
  while (!key.empty()) {
    const std::size_t end = std::min(key.find('.'), key.size());
    const std::optional<JsonSpot> child = spot.find(key.substr(0, end));
    if (!child) {
      break;
    }
    spot = *child;
    key.remove_prefix(std::min(end + 1, key.size()));
  }
  return spot.place();
}

Json drafter_config_json(const DrafterConfig& config, const std::string& dtype) {
  const bool sliding = config.has(LayerKind::kSliding);
  const auto id_or_null = [](std::int64_t id) { return id < 0 ? Json(nullptr) : Json(id); };
  Json types = Json::array();
  for (const auto kind : config.layer_types) {
    types.push_back(layer_type(kind));
  }
  Json json{{"architectures", Json::array({"DFlashDraftModel"})},
            {"model_type", "qwen3"},
            {"block_size", config.block_size},
            {"dflash_config",
             {{"block_size", config.block_size},
              {"mask_token_id", config.mask_token_id},
              {"target_layer_ids", config.target_layer_ids}}},
            {"num_target_layers", config.num_target_layers},
            {"hidden_size", config.hidden},
            {"intermediate_size", config.intermediate},
            {"num_hidden_layers", config.layers},
            {"num_attention_heads", config.heads},
            {"num_key_value_heads", config.kv_heads},
            {"head_dim", config.head_dim},
            {"layer_types", types},
            {"use_sliding_window", sliding},
            {"sliding_window", sliding ? Json(config.window) : Json(nullptr)},
            {"max_window_layers", config.layers},
            {"rope_theta", config.rope_theta},
            {"rope_scaling", nullptr},
            {"rms_norm_eps", config.rms_norm_eps},
            {"max_position_embeddings", config.max_position_embeddings},
            {"vocab_size", config.vocab_size},
            {"tie_word_embeddings", false},
            {"dtype", dtype},
            {"attention_bias", false},
            {"attention_dropout", 0.0},
            {"hidden_act", "silu"},
            {"initializer_range", config.initializer_range},
            {"bos_token_id", id_or_null(config.bos_token_id)},
            {"eos_token_id", id_or_null(config.eos_token_id)},
            {"pad_token_id", id_or_null(config.pad_token_id)},
            {"use_cache", true}};
  if (sliding && !config.sliding_causal) {
    json["is_causal"] = false;
    json["sliding_window_non_causal"] = true;
  }
  return json;
}

}  // namespace dflash
