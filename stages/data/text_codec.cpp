// SPDX-License-Identifier: Apache-2.0
#include "stages/data/text_codec.h"

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

}  // namespace

TextCodec load_text_codec(const std::filesystem::path& folder) {
  const std::filesystem::path config_file = folder / "tokenizer_config.json";
  const nlohmann::json content = load_json(config_file);
  const PlacedJson config{content, config_file.string() + ": "};
  TextCodec codec{.tokenizer = Tokenizer::load(folder / "tokenizer.json"), .chat = ChatTemplate::load(folder)};
  codec.mask_id = special_token(config, "mask_token", codec.tokenizer);
  codec.eos_id = special_token(config, "eos_token", codec.tokenizer);
  codec.pad_id = special_token(config, "pad_token", codec.tokenizer);
  DFLASH_USER_CHECK(codec.eos_id != kNoToken, "{}/eos_token: missing; a token that ends a turn is needed",
                    config.place());
  codec.vocab_rows = vocab_rows(folder / "config.json", codec.tokenizer);
  return codec;
}

}  // namespace dflash
