// SPDX-License-Identifier: Apache-2.0
#include "stages/data/text_codec.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "stages/data/json_file.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

const std::filesystem::path kTiny = DFLASH_SOURCE_DIR "/configs/tiny/target";

std::filesystem::path folder_with(const nlohmann::json& changes) {
  const std::filesystem::path folder = std::filesystem::path{testing::TempDir()} / "codec";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(kTiny / "tokenizer.json", folder / "tokenizer.json");
  nlohmann::json config = load_json(kTiny / "tokenizer_config.json");
  config.merge_patch(changes);
  std::ofstream{folder / "tokenizer_config.json"} << config;
  return folder;
}

TEST(TextCodec, ReadsTheTinyTargetsFolder) {
  const TextCodec codec = load_text_codec(kTiny);
  EXPECT_EQ(codec.pad_id, 0);
  EXPECT_EQ(codec.eos_id, 2);
  EXPECT_EQ(codec.mask_id, 3);
  EXPECT_EQ(codec.vocab_rows, 1024);
}

TEST(TextCodec, ReadsTokensWrittenAsObjectsAndMissingOnes) {
  const TextCodec codec =
      load_text_codec(folder_with({{"eos_token", {{"content", "<|endoftext|>"}}}, {"mask_token", nullptr}}));
  EXPECT_EQ(codec.eos_id, 2);
  EXPECT_EQ(codec.mask_id, kNoToken);
}

TEST(TextCodec, TakesTheRowsOfTheEmbeddingFromTheModelsConfiguration) {
  const std::filesystem::path folder = folder_with(nlohmann::json::object());
  std::ofstream{folder / "config.json"} << R"({"vocab_size": 1088})";
  EXPECT_EQ(load_text_codec(folder).vocab_rows, 1088);
}

TEST(TextCodec, StopsAtTheTemplatesEndOfTurnAndAtWhatElseTheFolderNames) {
  EXPECT_THAT(load_text_codec(kTiny).stop_ids, ElementsAre(2));
  const std::filesystem::path folder = folder_with({{"eos_token", "<|endoftext|>"}});
  EXPECT_THAT(load_text_codec(folder).stop_ids, ElementsAre(2, 0));
  std::ofstream{folder / "generation_config.json"} << R"({"eos_token_id": [0, 2, 7]})";
  EXPECT_THAT(load_text_codec(folder).stop_ids, ElementsAre(2, 0, 7));
  std::ofstream{folder / "generation_config.json"} << R"({"eos_token_id": 9})";
  EXPECT_THAT(load_text_codec(folder).stop_ids, ElementsAre(2, 0, 9));
  std::ofstream{folder / "generation_config.json"} << R"({"eos_token_id": [1, 1024]})";
  EXPECT_THAT(
      [&] { load_text_codec(folder); },
      ThrowsMessage<UserError>(HasSubstr("generation_config.json: /eos_token_id/1: found 1024, allowed: the id")));
}

TEST(TextCodec, AnUnknownTemplateOnlyLeavesItsEndOfTurnAway) {
  const TextCodec codec = load_text_codec(folder_with({{"chat_template", "{{ x }}"}, {"eos_token", "<|endoftext|>"}}));
  EXPECT_THAT(codec.stop_ids, ElementsAre(0));
  EXPECT_EQ(codec.eos_id, 0);
  EXPECT_THAT([] { load_text_codec(folder_with({{"chat_template", "{{ x }}"}, {"eos_token", nullptr}})); },
              ThrowsMessage<UserError>(HasSubstr("/eos_token: missing")));
}

TEST(TextCodec, RefusesATokenThatIsUnknown) {
  EXPECT_THAT([] { load_text_codec(folder_with({{"pad_token", "<pad>"}})); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("/pad_token"), HasSubstr("'<pad>' is not in the tokenizer"))));
}

TEST(FieldReports, E13RefusesAConfigurationThatDoesNotAgreeWithTheTokenizer) {
  const auto with = [](const std::string& id, const std::string& text) {
    return folder_with({{"added_tokens_decoder", {{id, {{"content", text}, {"special", true}}}}}});
  };
  EXPECT_NO_THROW(load_text_codec(with("2", "<|im_end|>")));
  EXPECT_THAT([&] { load_text_codec(with("5", "<|im_end|>")); },
              ThrowsMessage<UserError>(HasSubstr("/added_tokens_decoder/5: '<|im_end|>' is id 2 in tokenizer.json")));
  EXPECT_THAT(
      [&] { load_text_codec(with("1024", "<tool>")); },
      ThrowsMessage<UserError>(HasSubstr("/added_tokens_decoder/1024: '<tool>' is no token in tokenizer.json")));
  EXPECT_THAT([] { load_text_codec(folder_with({{"add_prefix_space", true}})); },
              ThrowsMessage<UserError>(HasSubstr("/add_prefix_space: found true, allowed: false")));
  EXPECT_THAT([] { load_text_codec(folder_with({{"split_special_tokens", true}})); },
              ThrowsMessage<UserError>(HasSubstr("/split_special_tokens: found true")));
}

TEST(TextCodec, RefusesATokenizerWithoutTheTemplatesEndOfTurn) {
  const std::filesystem::path folder = folder_with(nlohmann::json::object());
  nlohmann::json tokenizer = load_json(folder / "tokenizer.json");
  std::string text = tokenizer.dump();
  for (std::size_t at = text.find("<|im_end|>"); at != std::string::npos; at = text.find("<|im_end|>")) {
    text.replace(at, 10, "<|other|>");
  }
  std::ofstream{folder / "tokenizer.json"} << text;
  EXPECT_THAT([&] { load_text_codec(folder); },
              ThrowsMessage<UserError>(HasSubstr("ends turns with '<|im_end|>', which is not in the tokenizer")));
}

}  // namespace
}  // namespace dflash
