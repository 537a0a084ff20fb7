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
  EXPECT_EQ(codec.eos_id, 0);
  EXPECT_EQ(codec.mask_id, kNoToken);
}

TEST(TextCodec, TakesTheRowsOfTheEmbeddingFromTheModelsConfiguration) {
  const std::filesystem::path folder = folder_with(nlohmann::json::object());
  std::ofstream{folder / "config.json"} << R"({"vocab_size": 1088})";
  EXPECT_EQ(load_text_codec(folder).vocab_rows, 1088);
}

TEST(TextCodec, RefusesATokenThatIsUnknownOrMissing) {
  EXPECT_THAT([] { load_text_codec(folder_with({{"pad_token", "<pad>"}})); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("/pad_token"), HasSubstr("'<pad>' is not in the tokenizer"))));
  EXPECT_THAT([] { load_text_codec(folder_with({{"eos_token", nullptr}})); },
              ThrowsMessage<UserError>(HasSubstr("/eos_token: missing")));
}

}  // namespace
}  // namespace dflash
