// SPDX-License-Identifier: Apache-2.0
#include "stages/models/target_config.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "framework/core/json_syntax.h"
#include "framework/core/named_path.h"
#include "stages/models/config_fields.h"
#include "stages/models/layer_windows.h"
#include "stages/models/rope_config.h"

namespace dflash {
namespace {

std::string supported() {
  return fmt::format("supported: {}; rotary positions {}; no quantisation", supported_architectures(),
                     supported_rope_kinds());
}

/// The family, by the architecture named; none, and a fault, where that is not supported.
std::optional<TargetFamily> read_family(ConfigFields& fields) {
  const Json* found = fields.find("architectures");
  const std::string model = fields.text("model_type").value_or("");
  for (const FamilyTraits& traits : target_families()) {
    if (found != nullptr && *found == Json::array({traits.architecture})) {
      if (!model.empty() && model != traits.model_type) {
        fields.add_fault(fmt::format("model_type '{}' is not supported with {} (only '{}')", model, traits.architecture,
                                     traits.model_type));
      }
      return traits.family;
    }
  }
  fields.add_fault(fmt::format("architectures {}{} is not supported",
                               found == nullptr ? "(missing)" : shown_value(*found),
                               model.empty() ? "" : fmt::format(" of model_type '{}'", model)));
  return std::nullopt;
}

void refuse_variants(ConfigFields& fields) {
  const std::string activation = fields.text("hidden_act").value_or("silu");
  if (activation != "silu") {
    fields.add_fault(fmt::format("hidden_act '{}' is not supported (only 'silu')", activation));
  }
  for (const std::string key : {"mlp_bias", "use_mrope"}) {
    if (fields.boolean(key, false)) {
      fields.add_fault(fmt::format("{} true is not supported", key));
    }
  }
  for (const std::string key : {"quantization_config", "compression_config"}) {
    if (const Json* found = fields.find(key); found != nullptr) {
      fields.add_fault(fmt::format("{} {} is not supported", key, shown_value(*found)));
    }
  }
}

void read_sizes(ConfigFields& fields, TargetConfig& config) {
  const FamilyTraits& traits = traits_of(config.family);
  const auto integer = [&](const char* key, std::int64_t least, bool is_written, std::int64_t fallback) {
    return is_written || fields.find(key) != nullptr ? fields.integer(key, least) : fallback;
  };
  config.vocab_size = fields.integer("vocab_size", 1);
  config.hidden_size = fields.integer("hidden_size", 1);
  config.intermediate_size = fields.integer("intermediate_size", 1);
  config.num_hidden_layers = fields.integer("num_hidden_layers", 1);
  config.num_attention_heads = fields.integer("num_attention_heads", 1);
  const std::int64_t heads = config.num_attention_heads;
  config.num_key_value_heads = integer("num_key_value_heads", 1, traits.writes_defaults, heads);
  config.head_dim = integer("head_dim", 2, traits.writes_head_dim, config.hidden_size / heads);
  config.max_position_embeddings = fields.integer("max_position_embeddings", 1);
  config.rms_norm_eps = fields.positive_number("rms_norm_eps");
  const bool is_derived = !traits.writes_head_dim && fields.find("head_dim") == nullptr;
  if (is_derived && config.hidden_size % heads != 0) {
    fields.add_fault(fmt::format("head_dim is missing, and hidden_size {} is not a multiple of num_attention_heads {}",
                                 config.hidden_size, heads));
  }
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

bool has_head_norms(const TargetConfig& config) { return traits_of(config.family).norms_heads; }

bool has_qkv_bias(const TargetConfig& config) {
  return config.attention_bias || traits_of(config.family).always_biased;
}

bool has_output_bias(const TargetConfig& config) {
  return config.attention_bias && !traits_of(config.family).always_biased;
}

std::int64_t window_of(const TargetConfig& config, std::int64_t layer) {
  const bool slides =
      !config.layer_types.empty() && config.layer_types.at(static_cast<std::size_t>(layer)) == LayerKind::kSliding;
  return slides ? config.sliding_window : 0;
}

TargetConfig target_config_from_json(const Json& json, const std::string& place) {
  ConfigFields fields(json, fmt::format("{} ({})", place, supported()));
  const std::optional<TargetFamily> family = read_family(fields);
  refuse_variants(fields);
  if (!family) {
    fields.finish();  // the keys of another architecture are its own
  }
  TargetConfig config{.family = *family};
  read_sizes(fields, config);
  const FamilyTraits& traits = traits_of(config.family);
  const RopeConfig rope = read_rope_config(fields, {.theta = traits.writes_defaults ? std::nullopt : std::optional{1e4},
                                                    .max_positions = config.max_position_embeddings});
  config.rope_theta = rope.theta;
  config.rope_scaling = rope.scaling;
  config.attention_bias = fields.boolean("attention_bias", false) && !traits.always_biased;
  const LayerWindows windows = read_layer_windows(fields, traits, config.num_hidden_layers);
  config.layer_types = windows.types;
  config.sliding_window = windows.window;
  config.tie_word_embeddings = fields.boolean("tie_word_embeddings", false);
  config.bos_token_id = fields.optional_integer("bos_token_id", 0);
  config.eos_token_ids = read_stop_ids(fields);
  config.pad_token_id = fields.optional_integer("pad_token_id", 0);
  config.dtype = read_dtype(fields);
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
  const FamilyTraits& traits = traits_of(config.family);
  const Json stop = config.eos_token_ids.empty()       ? Json(nullptr)
                    : config.eos_token_ids.size() == 1 ? Json(config.eos_token_ids.front())
                                                       : Json(config.eos_token_ids);
  Json json{{"architectures", Json::array({traits.architecture})},
            {"model_type", traits.model_type},
            {"vocab_size", config.vocab_size},
            {"hidden_size", config.hidden_size},
            {"intermediate_size", config.intermediate_size},
            {"num_hidden_layers", config.num_hidden_layers},
            {"num_attention_heads", config.num_attention_heads},
            {"num_key_value_heads", config.num_key_value_heads},
            {"head_dim", config.head_dim},
            {"hidden_act", "silu"},
            {"max_position_embeddings", config.max_position_embeddings},
            {"rms_norm_eps", config.rms_norm_eps},
            {"tie_word_embeddings", config.tie_word_embeddings},
            {"bos_token_id", optional_id(config.bos_token_id)},
            {"eos_token_id", stop},
            {"pad_token_id", optional_id(config.pad_token_id)},
            {"dtype", dtype_name(config.dtype)},
            {"torch_dtype", dtype_name(config.dtype)}};
  if (!traits.always_biased) {
    json["attention_bias"] = config.attention_bias;
  }
  write_rope_config({.theta = config.rope_theta, .scaling = config.rope_scaling}, json);
  if (traits.may_slide) {
    write_layer_windows({.types = config.layer_types, .window = config.sliding_window}, json);
  }
  return json;
}

void write_target_config(const std::filesystem::path& folder, const TargetConfig& config) {
  replace_durably(folder / "config.json", target_config_to_json(config).dump(2) + "\n");
}

}  // namespace dflash
