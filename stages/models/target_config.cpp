// SPDX-License-Identifier: Apache-2.0
#include "stages/models/target_config.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "framework/core/json_syntax.h"
#include "framework/core/named_path.h"
#include "stages/models/config_fields.h"

namespace dflash {
namespace {

constexpr auto kSupported =
    "supported: Qwen3ForCausalLM with full attention, plain rotary positions, no biases, no quantisation";

void refuse_architecture(ConfigFields& fields) {
  const Json* found = fields.find("architectures");
  if (found == nullptr || *found != Json::array({"Qwen3ForCausalLM"})) {
    fields.add_fault(
        fmt::format("architectures {} is not supported", found == nullptr ? "(missing)" : shown_value(*found)));
  }
  const std::string model = fields.text("model_type").value_or("qwen3");
  if (model != "qwen3") {
    fields.add_fault(fmt::format("model_type '{}' is not supported (only 'qwen3')", model));
  }
  const std::string activation = fields.text("hidden_act").value_or("silu");
  if (activation != "silu") {
    fields.add_fault(fmt::format("hidden_act '{}' is not supported (only 'silu')", activation));
  }
}

void refuse_variants(ConfigFields& fields) {
  for (const std::string key : {"attention_bias", "use_sliding_window"}) {
    if (fields.boolean(key, false)) {
      fields.add_fault(fmt::format("{} true is not supported", key));
    }
  }
  for (const std::string key : {"rope_scaling", "quantization_config", "compression_config"}) {
    if (const Json* found = fields.find(key); found != nullptr) {
      fields.add_fault(fmt::format("{} {} is not supported", key, shown_value(*found)));
    }
  }
  const Json* layers = fields.find("layer_types");
  const bool full =
      layers == nullptr ||
      (layers->is_array() && std::ranges::all_of(*layers, [](const Json& layer) { return layer == "full_attention"; }));
  if (!full) {
    fields.add_fault("layer_types other than 'full_attention' are not supported");
  }
}

/// Reads the base of the rotary angles from `rope_theta` (transformers 4) or `rope_parameters.rope_theta` (5).
double read_rope_theta(ConfigFields& fields) {
  const Json* parameters = fields.find("rope_parameters");
  if (parameters == nullptr) {
    return fields.positive_number("rope_theta");
  }
  if (!parameters->is_object()) {
    fields.add_fault("rope_parameters is not an object");
    return 1.0;
  }
  ConfigFields inner(*parameters, "rope_parameters");
  const double theta = inner.positive_number("rope_theta");
  const std::string kind = inner.text("rope_type").value_or("default");
  if (kind != "default") {
    inner.add_fault(fmt::format("rope_type '{}' is not supported", kind));
  }
  if (fields.find("rope_theta") != nullptr && fields.positive_number("rope_theta") != theta) {
    inner.add_fault("rope_theta differs from the one outside");
  }
  try {
    inner.finish();
  } catch (const UserError& error) {
    fields.add_fault(error.what());
  }
  return theta;
}

at::ScalarType read_dtype(ConfigFields& fields) {
  const auto old_name = fields.text("torch_dtype");
  const std::string name = fields.text("dtype").value_or(old_name.value_or("float32"));
  if (name == "float32") {
    return at::kFloat;
  }
  if (name == "bfloat16") {
    return at::kBFloat16;
  }
  if (name != "float16") {
    fields.add_fault(fmt::format("dtype '{}' is not supported (only float32, bfloat16, float16)", name));
  }
  return at::kHalf;
}

std::vector<std::int64_t> read_stop_ids(ConfigFields& fields) {
  const Json* found = fields.find("eos_token_id");
  if (found == nullptr) {
    return {};
  }
  std::vector<std::int64_t> ids;
  for (const Json& id : found->is_array() ? *found : Json::array({*found})) {
    if (!id.is_number_integer() || id < 0 || id > INT32_MAX) {
      fields.add_fault("eos_token_id is not an id or a list of ids");
      return {};
    }
    ids.push_back(id.get<std::int64_t>());
  }
  return ids;
}

void check_together(const TargetConfig& config, ConfigFields& fields) {
  if (config.num_attention_heads % config.num_key_value_heads != 0) {
    fields.add_fault(fmt::format("num_attention_heads {} is not a multiple of num_key_value_heads {}",
                                 config.num_attention_heads, config.num_key_value_heads));
  }
  if (config.head_dim % 2 != 0) {
    fields.add_fault(fmt::format("head_dim {} is odd", config.head_dim));
  }
  std::vector<std::int64_t> ids = config.eos_token_ids;
  ids.push_back(config.bos_token_id.value_or(0));
  ids.push_back(config.pad_token_id.value_or(0));
  const std::int64_t largest = std::ranges::max(ids);
  if (largest >= config.vocab_size) {
    fields.add_fault(fmt::format("token id {} is not below vocab_size {}", largest, config.vocab_size));
  }
}

std::string dtype_name(at::ScalarType type) {
  return type == at::kFloat ? "float32" : type == at::kBFloat16 ? "bfloat16" : "float16";
}

Json optional_id(const std::optional<std::int64_t>& id) { return id.has_value() ? Json(*id) : Json(nullptr); }

}  // namespace

TargetConfig target_config_from_json(const Json& json, const std::string& place) {
  ConfigFields fields(json, fmt::format("{} ({})", place, kSupported));
  refuse_architecture(fields);
  refuse_variants(fields);
  TargetConfig config{.vocab_size = fields.integer("vocab_size", 1),
                      .hidden_size = fields.integer("hidden_size", 1),
                      .intermediate_size = fields.integer("intermediate_size", 1),
                      .num_hidden_layers = fields.integer("num_hidden_layers", 1),
                      .num_attention_heads = fields.integer("num_attention_heads", 1),
                      .num_key_value_heads = fields.integer("num_key_value_heads", 1),
                      .head_dim = fields.integer("head_dim", 2),
                      .max_position_embeddings = fields.integer("max_position_embeddings", 1),
                      .rms_norm_eps = fields.positive_number("rms_norm_eps"),
                      .rope_theta = read_rope_theta(fields),
                      .tie_word_embeddings = fields.boolean("tie_word_embeddings", false),
                      .bos_token_id = fields.optional_integer("bos_token_id", 0),
                      .eos_token_ids = read_stop_ids(fields),
                      .pad_token_id = fields.optional_integer("pad_token_id", 0),
                      .dtype = read_dtype(fields)};
  check_together(config, fields);
  fields.finish();
  return config;
}

TargetConfig read_target_config(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "config.json";
  if (const std::optional<std::string> problem = path_problem(file, PathKind::kFile, "target's config.json")) {
    throw UserError(*problem);
  }
  return target_config_from_json(parse_json(read_text(file), file.string()), file.string());
}

Json target_config_to_json(const TargetConfig& config) {
  const Json stop = config.eos_token_ids.empty()       ? Json(nullptr)
                    : config.eos_token_ids.size() == 1 ? Json(config.eos_token_ids.front())
                                                       : Json(config.eos_token_ids);
  return {{"architectures", Json::array({"Qwen3ForCausalLM"})},
          {"model_type", "qwen3"},
          {"vocab_size", config.vocab_size},
          {"hidden_size", config.hidden_size},
          {"intermediate_size", config.intermediate_size},
          {"num_hidden_layers", config.num_hidden_layers},
          {"num_attention_heads", config.num_attention_heads},
          {"num_key_value_heads", config.num_key_value_heads},
          {"head_dim", config.head_dim},
          {"hidden_act", "silu"},
          {"attention_bias", false},
          {"max_position_embeddings", config.max_position_embeddings},
          {"rms_norm_eps", config.rms_norm_eps},
          {"rope_theta", config.rope_theta},
          {"rope_parameters", {{"rope_theta", config.rope_theta}, {"rope_type", "default"}}},
          {"tie_word_embeddings", config.tie_word_embeddings},
          {"use_sliding_window", false},
          {"bos_token_id", optional_id(config.bos_token_id)},
          {"eos_token_id", stop},
          {"pad_token_id", optional_id(config.pad_token_id)},
          {"dtype", dtype_name(config.dtype)},
          {"torch_dtype", dtype_name(config.dtype)}};
}

void write_target_config(const std::filesystem::path& folder, const TargetConfig& config) {
  replace_durably(folder / "config.json", target_config_to_json(config).dump(2) + "\n");
}

}  // namespace dflash
