// SPDX-License-Identifier: Apache-2.0
#include "stages/prepare/shard_set.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "framework/core/json_syntax.h"
#include "framework/core/named_path.h"

namespace dflash {
namespace {

constexpr const char* kListName = "shards.json";
constexpr const char* kSchema = "dflash-shards/1";
constexpr const char* kTokenizer = "tokenizer";
constexpr const char* kTemplate = "chat_template";
constexpr const char* kThinking = "thinking";

std::string value_in(const std::map<std::string, std::string>& settings, const std::string& key) {
  const auto found = settings.find(key);
  return found == settings.end() ? "nothing" : found->second;
}

struct ShardList {
  std::int64_t shards = 0;
  std::int64_t rows = 0;
  std::int64_t tokens = 0;
  std::map<std::string, std::string> settings;
};

ShardList read_list(const std::filesystem::path& folder) {
  if (const auto problem = path_problem(folder, PathKind::kFolder, "folder of shards")) {
    throw UserError(*problem);
  }
  const std::filesystem::path file = folder / kListName;
  DFLASH_USER_CHECK(std::filesystem::exists(file),
                    "'{}' has no {}: it is no folder of shards, or the run that made them did not come to its end "
                    "(--resume goes on)",
                    folder.string(), kListName);
  return read_written(parse_or_discard(read_text(file)), file.string(), [&](const Json& list) {
    DFLASH_USER_CHECK(list.at("schema") == kSchema, "'{}': found schema {}, allowed: \"{}\"", file.string(),
                      shown_value(list.at("schema")), kSchema);
    return ShardList{.shards = whole_number(list.at("shards")),
                     .rows = whole_number(list.at("rows")),
                     .tokens = whole_number(list.at("tokens")),
                     .settings = list.at("settings").get<std::map<std::string, std::string>>()};
  });
}

}  // namespace

std::map<std::string, std::string> codec_settings(const TextCodec& codec) {
  return {{kTokenizer, fmt::format("{:016x}", codec.tokenizer.hash())},
          {kTemplate, fmt::format("{:016x}", codec.chat.hash())},
          {kThinking, std::string{thinking_word(codec.chat.thinking())}}};
}

std::string shard_name(std::int64_t number) { return fmt::format("shard-{:05}.safetensors", number); }

void write_shard_list(const std::filesystem::path& folder, const Json& list) {
  Json json = list;
  json["schema"] = kSchema;
  replace_durably(folder / kListName, text_of(json, 2) + "\n");
}

ShardSet::ShardSet(const std::filesystem::path& folder) : folder_{folder} {
  const ShardList list = read_list(folder);
  settings_ = list.settings;
  for (std::int64_t number = 0; number < list.shards; ++number) {
    const std::filesystem::path file = folder / shard_name(number);
    ShardFile shard{file};
    for (const auto& [key, value] : settings_) {
      const std::string text = value_in(shard.settings(), key);
      DFLASH_USER_CHECK(text == value, "'{}' was made with {} {}, the others with {}", file.string(), key, text, value);
    }
    first_rows_.push_back(first_rows_.back() + shard.rows());
    tokens_ += shard.tokens();
    shards_.push_back(std::move(shard));
  }
  DFLASH_USER_CHECK(rows() == list.rows && tokens_ == list.tokens,
                    "'{}': found {} rows of {} tokens in {} shards, {} says {} and {}", folder.string(), rows(),
                    tokens_, list.shards, kListName, list.rows, list.tokens);
  DFLASH_USER_CHECK(rows() > 0, "'{}': there are no rows", folder.string());
}

Document ShardSet::row(std::int64_t index) const {
  const auto next = std::ranges::upper_bound(first_rows_, index);
  const auto shard = next - first_rows_.begin() - 1;
  return shards_[static_cast<std::size_t>(shard)].row(index - first_rows_[static_cast<std::size_t>(shard)]);
}

void ShardSet::require_codec(const TextCodec& codec) const {
  for (const auto& [key, value] : codec_settings(codec)) {
    const std::string text = value_in(settings_, key);
    DFLASH_USER_CHECK(text == value,
                      "'{}' was made with {} {}, the target has {}: its ids would mean other texts; prepare the data "
                      "anew with this target",
                      folder_.string(), key, text, value);
  }
}

}  // namespace dflash
