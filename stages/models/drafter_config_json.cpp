// SPDX-License-Identifier: Apache-2.0
// The z-lab `config.json`, read and written. Serving code takes silent defaults for many absent keys, so reading
// refuses what it does not know and writing leaves nothing out.
#include <fstream>

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/nearest_name.h"
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

/// Reads keys of one object and gathers what is wrong with them.
class KeyReader {
 public:
  KeyReader(const Json& object, std::string path, const std::vector<std::string>& known, std::string& faults)
      : object_{object}, path_{std::move(path)}, faults_{faults} {
    for (const auto& [key, value] : object.items()) {
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        fault("unknown key '{}'{}", path_ + key, suggestion(key, known));
      }
    }
  }

  bool has(const char* key) const { return object_.contains(key) && !object_.at(key).is_null(); }

  void read(const char* key, std::int64_t& value) {
    if (has(key)) {
      take(key, object_.at(key).is_number_integer(), "an integer", value);
    }
  }
  void read(const char* key, double& value) {
    if (has(key)) {
      take(key, object_.at(key).is_number(), "a number", value);
    }
  }
  void read(const char* key, bool& value) {
    if (has(key)) {
      take(key, object_.at(key).is_boolean(), "true or false", value);
    }
  }
  void read(const char* key, std::vector<std::int64_t>& value) {
    if (has(key)) {
      const Json& list = object_.at(key);
      const bool good = list.is_array() && std::all_of(list.begin(), list.end(),
                                                       [](const Json& item) { return item.is_number_integer(); });
      take(key, good, "a list of integers", value);
    }
  }
  void need(const char* key, std::int64_t& value) {
    if (has(key)) {
      read(key, value);
    } else {
      fault("'{}' is missing", path_ + key);
    }
  }
  /// Refuses any value but `only`, which is what this program computes.
  void fixed(const char* key, const Json& only) {
    if (has(key) && object_.at(key) != only) {
      fault("'{}' = {} is not supported; allowed: {}", path_ + key, object_.at(key).dump(), only.dump());
    }
  }
  template <typename... Args>
  void fault(fmt::format_string<Args...> format, Args&&... args) {
    faults_ += "\n  " + fmt::format(format, std::forward<Args>(args)...);
  }

 private:
  template <typename Value>
  void take(const char* key, bool good, const char* expected, Value& value) {
    if (good) {
      value = object_.at(key).get<Value>();
    } else {
      fault("'{}' must be {}, found {}", path_ + key, expected, object_.at(key).dump());
    }
  }
  const Json& object_;
  std::string path_;
  std::string& faults_;
};

void read_layer_types(const Json& json, KeyReader& reader, DrafterConfig& config) {
  bool use_window = false;
  reader.read("use_sliding_window", use_window);
  reader.read("sliding_window", config.window);
  if (!reader.has("layer_types")) {
    config.layer_types = layer_kinds(use_window ? "sliding" : "full", config.layers);
  } else if (!json.at("layer_types").is_array()) {
    reader.fault("'layer_types' must be a list, found {}", json.at("layer_types").dump());
  } else {
    for (const auto& entry : json.at("layer_types")) {
      if (entry != "full_attention" && entry != "sliding_attention") {
        reader.fault("'layer_types' has {}; allowed: \"full_attention\", \"sliding_attention\"", entry.dump());
      }
      config.layer_types.push_back(entry == "sliding_attention" ? LayerKind::kSliding : LayerKind::kFull);
    }
  }
  if (config.has(LayerKind::kSliding) && reader.has("use_sliding_window") && !use_window) {
    reader.fault("'use_sliding_window' is false but 'layer_types' has sliding layers");
  }
}

void read_causality(KeyReader& reader, DrafterConfig& config) {
  bool causal = config.sliding_causal;
  bool non_causal = !config.sliding_causal;
  reader.read("is_causal", causal);
  reader.read("sliding_window_non_causal", non_causal);
  if (reader.has("is_causal") && causal && config.has(LayerKind::kFull)) {
    reader.fault("'is_causal' = true makes full layers causal too, which is not supported; leave it out");
  }
  if (reader.has("is_causal") && reader.has("sliding_window_non_causal") && causal == non_causal) {
    reader.fault("'is_causal' and 'sliding_window_non_causal' contradict each other");
  }
  config.sliding_causal = causal && !non_causal;
}

void read_dflash_config(const Json& json, std::string& faults, DrafterConfig& config) {
  if (!json.contains("dflash_config") || !json.at("dflash_config").is_object()) {
    faults += "\n  'dflash_config' is missing (an object with mask_token_id and target_layer_ids)";
    return;
  }
  KeyReader reader(json.at("dflash_config"), "dflash_config.", kInnerKeys, faults);
  reader.need("mask_token_id", config.mask_token_id);
  reader.read("target_layer_ids", config.target_layer_ids);
  const std::int64_t outer = config.block_size;
  reader.read("block_size", config.block_size);
  if (outer != 0 && outer != config.block_size) {
    reader.fault("'block_size' is {} but 'dflash_config.block_size' is {}", outer, config.block_size);
  }
  if (config.block_size == 0) {
    reader.fault("'block_size' is missing");
  }
}

void read_sizes(KeyReader& reader, DrafterConfig& config) {
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

void read_rope(const Json& json, KeyReader& reader, DrafterConfig& config) {
  reader.read("rope_theta", config.rope_theta);
  reader.fixed("rope_scaling", nullptr);
  if (!reader.has("rope_parameters")) {
    return;
  }
  const Json& rope = json.at("rope_parameters");
  const bool plain = rope.is_object() && rope.value("rope_type", "default") == "default" &&
                     rope.contains("rope_theta") && rope.at("rope_theta").is_number();
  if (!plain || (reader.has("rope_theta") && rope.at("rope_theta").get<double>() != config.rope_theta)) {
    reader.fault("'rope_parameters' must be {{rope_type: default, rope_theta}} and agree with 'rope_theta', found {}",
                 rope.dump());
    return;
  }
  config.rope_theta = rope.at("rope_theta").get<double>();
}

}  // namespace

DrafterConfig parse_drafter_config(const Json& json, const std::string& place) {
  DFLASH_USER_CHECK(json.is_object(), "{}: a drafter configuration must be a JSON object", place);
  DrafterConfig config;
  std::string faults;
  KeyReader reader(json, "", kTopKeys, faults);
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
  DFLASH_USER_CHECK(faults.empty(), "{}: not a usable drafter configuration:{}", place, faults);
  if (config.target_layer_ids.empty()) {
    config.target_layer_ids = default_target_layer_ids(config.num_target_layers, config.layers);
  }
  check_drafter_config(config, place);
  return config;
}

DrafterConfig load_drafter_config(const std::string& path) {
  std::ifstream file(path);
  DFLASH_USER_CHECK(file.good(), "{}: the drafter's configuration cannot be read", path);
  try {
    return parse_drafter_config(Json::parse(file, nullptr, true, true), path);
  } catch (const Json::parse_error& error) {
    throw UserError(fmt::format("{}: not JSON: {}", path, error.what()));
  }
}

Json drafter_config_json(const DrafterConfig& config, const std::string& dtype) {
  const bool sliding = config.has(LayerKind::kSliding);
  const auto id_or_null = [](std::int64_t id) { return id < 0 ? Json(nullptr) : Json(id); };
  Json types = Json::array();
  for (const auto kind : config.layer_types) {
    types.push_back(kind == LayerKind::kSliding ? "sliding_attention" : "full_attention");
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
