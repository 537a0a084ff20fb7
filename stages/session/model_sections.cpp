// SPDX-License-Identifier: Apache-2.0
#include "stages/session/model_sections.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/json_spot.h"
#include "stages/data/chat_document.h"
#include "stages/data/check_rows.h"
#include "stages/export/drafter_folder.h"

namespace dflash {
namespace {

constexpr std::string_view kSection = "/models/drafter";
constexpr std::int64_t kMostLayers = 1024;   // laid out by name
constexpr std::int64_t kLongestSample = 64;  // tokens

/// The drafter's rotary angles are its own: the target's base where the file names none, and never its scaling.
void fill_from_target(const TargetConfig& target, Json& json) {
  const Json settled{{"hidden_size", target.hidden_size},
                     {"vocab_size", target.vocab_size},
                     {"num_target_layers", target.num_hidden_layers},
                     {"rope_theta", target.rope_theta},
                     {"rms_norm_eps", target.rms_norm_eps},
                     {"max_position_embeddings", target.max_position_embeddings}};
  const bool has_base = json.contains("rope_parameters") && json["rope_parameters"].is_object();
  for (const auto& [key, value] : settled.items()) {
    if (!json.contains(key) && !(key == "rope_theta" && has_base)) {
      json[key] = value;
    }
  }
}

/// Writes the section's values over those of the file, and remembers by key which of them it wrote.
class Overrides {
 public:
  Overrides(const DrafterSection& section, Json& json) : json_{json} {
    if (section.block_size()) {
      put("block_size", section.block_size, *section.block_size());
      put_inner("block_size", section.block_size, *section.block_size());
    }
    if (section.layers()) {
      put_layers(section.layers);
    }
    if (section.window()) {
      put("sliding_window", section.window, *section.window());
    }
    if (!section.taps().empty()) {
      put_inner("target_layer_ids", section.taps, section.taps());
    }
  }

  /// The parameter that brought one of the keys that take part in a fault; null where the file brought them all.
  [[nodiscard]] const ParamBase* culprit(const ConfigFaults::Fault& fault) const {
    for (const std::string& key : fault.keys) {
      if (const auto found = by_key_.find(key); found != by_key_.end()) {
        return found->second;
      }
    }
    return nullptr;
  }

 private:
  void put(const std::string& key, const ParamBase& param, Json value) {
    json_[key] = std::move(value);
    by_key_[key] = &param;
  }

  void put_inner(const std::string& key, const ParamBase& param, Json value) {
    if (json_.contains("dflash_config") && json_["dflash_config"].is_object()) {
      json_["dflash_config"][key] = std::move(value);
      by_key_["dflash_config." + key] = &param;
    }
  }

  void put_layers(const Param<std::optional<std::string>>& layout) {
    const auto count = json_.find("num_hidden_layers");
    if (count == json_.end() || !count->is_number_integer()) {
      return;  // a fault of the file
    }
    Json types = Json::array();
    for (const LayerKind kind :
         layer_kinds(*layout(), std::clamp<std::int64_t>(count->get<std::int64_t>(), 0, kMostLayers))) {
      types.push_back(layer_type(kind));
    }
    put("layer_types", layout, std::move(types));
    put("use_sliding_window", layout, *layout() != "full");
  }

  Json& json_;
  std::map<std::string, const ParamBase*> by_key_;
};

void check_fit(const DrafterConfig& drafter, const TargetConfig& target, ConfigFaults& faults) {
  const auto same = [&](const char* key, std::int64_t found, std::int64_t targets, const char* why) {
    faults.require(found == targets, {key}, "found {}, allowed: the target's, {}{}", found, targets, why);
  };
  same("hidden_size", drafter.hidden, target.hidden_size, ", whose embedding and head the drafter uses");
  same("num_target_layers", drafter.num_target_layers, target.num_hidden_layers, "");
  same("vocab_size", drafter.vocab_size, target.vocab_size, "");
}

/// The mask token stands in slots to be drafted and must mean nothing else.
void check_mask_token(const DrafterConfig& drafter, const TextCodec& codec, ConfigFaults& faults) {
  const std::string mask = "dflash_config.mask_token_id";
  const auto id = static_cast<std::int32_t>(drafter.mask_token_id);
  const bool stops = std::ranges::find(codec.stop_ids, id) != codec.stop_ids.end();
  faults.require(!stops && id != codec.pad_id, {mask},
                 "found {}, which is the target's {} token; allowed: a token that no text contains", id,
                 stops ? "end-of-turn" : "padding");
  if (stops || !codec.chat.refusal().empty()) {
    return;
  }
  const ChatRow chat{.messages = {{.role = "user", .content = "Hello!"}, {.role = "assistant", .content = "Hello!"}},
                     .tag = {}};
  const Document document = chat_document(chat, codec, kLongestSample, LossTurns::kAll);
  faults.require(std::ranges::find(document.ids, id) == document.ids.end(), {mask},
                 "found {}, which is '{}' and stands in every chat; allowed: a token that no text contains; a chat: {}",
                 id, codec.tokenizer.bytes_of(id), marked_text(document, codec.tokenizer));
}

/// The parameter that names the drafter's configuration. Null, and a mistake, where there is none or two.
const Param<std::string>* config_param(const DrafterSection& section, GraphMistakes& mistakes) {
  if (section.config().empty() && section.path().empty()) {
    mistakes.add(kSection,
                 "names no drafter; --set models.drafter.path=FOLDER takes an exported or published one, with its "
                 "weights; --set models.drafter.config=FILE a new one of that shape (JSON, keys as in a z-lab "
                 "config.json)");
    return nullptr;
  }
  const Param<std::string>* other = nullptr;
  if (!section.path().empty()) {
    other = !section.config().empty() ? &section.config : !section.weights().empty() ? &section.weights : nullptr;
  }
  if (other != nullptr) {
    mistakes.add(kSection, *other,
                 fmt::format("found \"{}\", allowed: none beside path, which brings shape and weights; take it away: "
                             "--set models.drafter.{}=",
                             (*other)(), other->name()));
    return nullptr;
  }
  return section.path().empty() ? &section.config : &section.path;
}

}  // namespace

Json chat_note(const ChatTemplate& chat) {
  return {{"template", chat.hash() == 0 ? "" : fmt::format("{:016x}", chat.hash())},
          {"thinking", thinking_word(chat.thinking())}};
}

std::optional<DrafterConfig> resolve_drafter_config(const DrafterSection& section, const TargetConfig& target,
                                                    const TextCodec* codec, GraphMistakes& mistakes) {
  const Param<std::string>* named = config_param(section, mistakes);
  if (named == nullptr) {
    return std::nullopt;
  }
  const bool stored = named == &section.path;
  Diagnostics in_file;
  std::optional<JsonText> file;
  try {
    file = read_json_file(stored ? config_file_in((*named)()).string() : (*named)(), "configuration of a drafter",
                          in_file);
    in_file.throw_if_any();
  } catch (const UserError& error) {
    mistakes.add(kSection, *named, error.what());
    return std::nullopt;
  }
  ConfigFaults faults;
  Json json = stored ? stored_drafter_config(file->value, faults) : file->value;
  if (!json.is_object()) {
    mistakes.add(kSection, *named, file->place_text(file->places.value) + ": " + found_text(json, "an object"));
    return std::nullopt;
  }
  fill_from_target(target, json);
  const Overrides overrides{section, json};
  DrafterConfig config = faults.empty() ? parse_drafter_config(json, faults) : DrafterConfig{};
  if (faults.empty()) {
    check_fit(config, target, faults);
    if (codec != nullptr) {
      check_mask_token(config, *codec, faults);
    }
  }
  for (const ConfigFaults::Fault& fault : faults.faults()) {
    const std::string& key = fault.keys.front();
    if (const ParamBase* culprit = overrides.culprit(fault)) {
      const bool itself = culprit == overrides.culprit({.keys = {key}, .message = {}});
      mistakes.add(kSection, *culprit, itself ? fault.message : fmt::format("{}: {}", key, fault.message));
    } else {
      mistakes.add(kSection, *named, fmt::format("{}: {}: {}", place_of_key(*file, key), key, fault.message));
    }
  }
  return faults.empty() ? std::optional{std::move(config)} : std::nullopt;
}

}  // namespace dflash
