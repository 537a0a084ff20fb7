// SPDX-License-Identifier: Apache-2.0
#include "stages/data/text_codec.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "stages/data/json_file.h"
#include "stages/data/placed_json.h"

namespace dflash {

namespace {

/// A special token of `tokenizer_config.json`: a text, or an object with one.
std::int32_t special_token(const PlacedJson& config, const char* key, const Tokenizer& tokenizer) {
  const PlacedJson entry = config[key];
  if (entry.is_null()) {
    return kNoToken;
  }
  const std::string text = entry.has("content") ? entry["content"].string() : entry.string();
  const std::optional<std::int32_t> id = tokenizer.id_of(text);
  DFLASH_USER_CHECK(id.has_value(), "{}: token '{}' is not in the tokenizer", entry.place(), text);
  return *id;
}

std::int32_t vocab_rows(const std::filesystem::path& config_file, const Tokenizer& tokenizer) {
  if (!std::filesystem::exists(config_file)) {
    return tokenizer.vocab_size();
  }
  const nlohmann::json config = load_json(config_file);
  const PlacedJson rows = PlacedJson{config, config_file.string() + ": "}["vocab_size"];
  return rows.is_null() ? tokenizer.vocab_size() : rows.id();
}

/// The ids of `generation_config.json`: one, several, or none.
std::vector<std::int32_t> generation_ends(const std::filesystem::path& file, const Tokenizer& tokenizer) {
  if (!std::filesystem::exists(file)) {
    return {};
  }
  const nlohmann::json content = load_json(file);
  const PlacedJson entry = PlacedJson{content, file.string() + ": "}["eos_token_id"];
  std::vector<std::int32_t> ids;
  for (const PlacedJson& end : entry.is_array() ? entry.elements() : std::vector{entry}) {
    if (!end.is_null()) {
      end.require(end.id() < tokenizer.vocab_size(), "the id of a token");
      ids.push_back(end.id());
    }
  }
  return ids;
}

/// The token that ends a turn of the chat template; none where the template is not known.
std::int32_t turn_end(const TextCodec& codec, const std::string& place) {
  if (!codec.chat.refusal().empty()) {
    return kNoToken;
  }
  const std::optional<std::int32_t> id = codec.tokenizer.id_of(codec.chat.turn_end());
  DFLASH_USER_CHECK(id.has_value(), "{}: the chat template ends turns with '{}', which is not in the tokenizer", place,
                    codec.chat.turn_end());
  return *id;
}

/// What ends an assistant's turn in the chat template comes first, then what else the folder names.
std::vector<std::int32_t> stop_ids(const TextCodec& codec, const PlacedJson& config,
                                   const std::filesystem::path& folder) {
  std::vector<std::int32_t> ids{turn_end(codec, config.place()), special_token(config, "eos_token", codec.tokenizer)};
  for (const std::int32_t id : generation_ends(folder / "generation_config.json", codec.tokenizer)) {
    ids.push_back(id);
  }
  std::vector<std::int32_t> distinct;
  for (const std::int32_t id : ids) {
    if (id != kNoToken && std::ranges::find(distinct, id) == distinct.end()) {
      distinct.push_back(id);
    }
  }
  DFLASH_USER_CHECK(!distinct.empty(), "{}/eos_token: missing; a token that ends a turn is needed", config.place());
  return distinct;
}

/// `tokenizer_config.json` may change what `tokenizer.json` says; then ids would not be those of the target.
void check_agreement(const PlacedJson& config, const Tokenizer& tokenizer) {
  config.refuse_true("add_prefix_space");
  config.refuse_true("split_special_tokens");
  const PlacedJson added = config["added_tokens_decoder"];
  if (added.is_null()) {
    return;
  }
  for (const auto& [id, value] : added.object()) {
    const PlacedJson token = added[id.c_str()];
    const std::string text = token["content"].string();
    const std::optional<std::int32_t> found = tokenizer.id_of(text);
    DFLASH_USER_CHECK(found && std::to_string(*found) == id, "{}: '{}' is {} in tokenizer.json; the two must agree",
                      token.place(), text, found ? fmt::format("id {}", *found) : "no token");
  }
}

}  // namespace

TextCodec load_text_codec(const std::filesystem::path& folder, Thinking thinking) {
  const std::filesystem::path config_file = folder / "tokenizer_config.json";
  const nlohmann::json content = load_json(config_file);
  const PlacedJson config{content, config_file.string() + ": "};
  TextCodec codec{.tokenizer = Tokenizer::load(folder / "tokenizer.json"),
                  .chat = ChatTemplate::load(folder, thinking)};
  check_agreement(config, codec.tokenizer);
  codec.mask_id = special_token(config, "mask_token", codec.tokenizer);
  codec.pad_id = special_token(config, "pad_token", codec.tokenizer);
  codec.stop_ids = stop_ids(codec, config, folder);
  codec.eos_id = codec.stop_ids.front();
  codec.vocab_rows = vocab_rows(folder / "config.json", codec.tokenizer);
  return codec;
}

}  // namespace dflash
