// SPDX-License-Identifier: Apache-2.0
#include "stages/export/speculators_config.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "stages/models/config_key_reader.h"
#include "stages/models/target_family.h"

namespace dflash {
namespace {

const std::vector<std::string> kKeys{"architectures",
                                     "auto_map",
                                     "speculators_model_type",
                                     "speculators_version",
                                     "speculators_config",
                                     "transformer_layer_config",
                                     "transformers_version",
                                     "dtype",
                                     "torch_dtype",
                                     "draft_vocab_size",
                                     "block_size",
                                     "aux_hidden_state_layer_ids",
                                     "mask_token_id",
                                     "sliding_window_non_causal",
                                     "sample_from_anchor",
                                     "target_hidden_size",
                                     "tie_word_embeddings"};

constexpr const char* kTapsKey = "target_layer_ids";

bool names_its_taps(const Json& zlab) {
  const auto inner = zlab.find("dflash_config");
  return inner == zlab.end() || !inner->is_object() || (inner->contains(kTapsKey) && !inner->at(kTapsKey).is_null());
}

/// What that package knows and this program does not compute.
void check_supported(const Json& json, ConfigKeyReader& reader, const Json& layers) {
  reader.fixed("speculators_model_type", "dflash");
  reader.fixed("sample_from_anchor", false);
  if (layers.contains("vocab_size") && reader.has("draft_vocab_size") &&
      json.at("draft_vocab_size") != layers.at("vocab_size")) {
    reader.fault({"draft_vocab_size"}, "found {}, allowed: the target's vocabulary, {}; a reduced one is not supported",
                 shown_value(json.at("draft_vocab_size")), shown_value(layers.at("vocab_size")));
  }
  if (layers.contains("hidden_size") && reader.has("target_hidden_size") &&
      json.at("target_hidden_size") != layers.at("hidden_size")) {
    reader.fault({"target_hidden_size"}, "found {}, allowed: the drafter's hidden_size, {}",
                 shown_value(json.at("target_hidden_size")), shown_value(layers.at("hidden_size")));
  }
}

bool has_sliding_layers(const Json& layers) {
  const auto types = layers.find("layer_types");
  return types != layers.end() && types->is_array() && std::any_of(types->begin(), types->end(), [](const Json& type) {
           return type == layer_type(LayerKind::kSliding);
         });
}

/// Ids count the layer that a feature enters there, and the one that it leaves here.
Json outputs_of(std::vector<std::int64_t> entered) {
  std::ranges::for_each(entered, [](std::int64_t& id) { --id; });
  return entered;
}

Json zlab_config_of(const Json& json, ConfigFaults& faults) {
  ConfigKeyReader reader(json, "", kKeys, faults);
  const auto layers = json.find("transformer_layer_config");
  if (layers == json.end() || !layers->is_object()) {
    reader.fault({"transformer_layer_config"}, "is missing: an object with the sizes of the drafter's layers");
    return json;
  }
  check_supported(json, reader, *layers);
  std::int64_t block_size = 0;
  std::int64_t mask = 0;
  bool non_causal = false;
  std::vector<std::int64_t> entered;
  reader.need("block_size", block_size);
  reader.need("mask_token_id", mask);
  reader.read("sliding_window_non_causal", non_causal);
  reader.read("aux_hidden_state_layer_ids", entered);
  Json zlab = *layers;
  zlab["architectures"] = Json::array({"DFlashDraftModel"});
  zlab["block_size"] = block_size;
  zlab["dflash_config"] = {{"block_size", block_size}, {"mask_token_id", mask}};
  if (reader.has("aux_hidden_state_layer_ids")) {
    zlab["dflash_config"][kTapsKey] = outputs_of(std::move(entered));
  }
  if (non_causal && has_sliding_layers(*layers)) {
    zlab["is_causal"] = false;
    zlab["sliding_window_non_causal"] = true;
  }
  return zlab;
}

}  // namespace

std::vector<std::int64_t> entered_layers(const DrafterConfig& config) {
  std::vector<std::int64_t> entered = config.target_layer_ids;
  std::ranges::for_each(entered, [](std::int64_t& id) { ++id; });
  return entered;
}

Verifier verifier_of(const std::filesystem::path& target_folder, const TargetConfig& config) {
  return {.path = std::filesystem::absolute(target_folder).lexically_normal().string(),
          .architecture = std::string{traits_of(config.family).architecture}};
}

Json speculators_config_json(const DrafterConfig& config, const std::string& dtype, const Verifier& verifier) {
  Json layers = drafter_config_json(config, dtype);
  for (const char* key : {"architectures", "block_size", "dflash_config", "num_target_layers", "is_causal",
                          "sliding_window_non_causal"}) {
    layers.erase(key);
  }
  const Json proposal{{"proposal_type", "greedy"}, {"speculative_tokens", config.block_size - 1}};
  return {{"architectures", Json::array({"DFlashDraftModel"})},
          {"speculators_model_type", "dflash"},
          {"dtype", dtype},
          {"transformer_layer_config", std::move(layers)},
          {"draft_vocab_size", config.vocab_size},
          {"block_size", config.block_size},
          {"aux_hidden_state_layer_ids", entered_layers(config)},
          {"mask_token_id", config.mask_token_id},
          // A server that takes it for all layers, not the sliding ones alone, would else serve full layers causally.
          {"sliding_window_non_causal", !(config.has(LayerKind::kSliding) && config.sliding_causal)},
          {"sample_from_anchor", false},
          {"target_hidden_size", nullptr},
          {"speculators_config",
           {{"algorithm", "dflash"},
            {"default_proposal_method", "greedy"},
            {"proposal_methods", Json::array({proposal})},
            {"verifier", {{"name_or_path", verifier.path}, {"architectures", Json::array({verifier.architecture})}}}}}};
}

bool is_speculators_config(const Json& json) { return json.is_object() && json.contains("speculators_model_type"); }

Json stored_drafter_config(const Json& json, ConfigFaults& faults) {
  Json zlab = is_speculators_config(json) ? zlab_config_of(json, faults) : json;
  if (zlab.is_object() && !names_its_taps(zlab)) {
    faults.add({std::string("dflash_config.") + kTapsKey},
               "is missing: the layers it was trained on, which no formula can tell");
  }
  return zlab;
}

}  // namespace dflash
