// SPDX-License-Identifier: Apache-2.0
#include "stages/prepare/shard_set.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class ShardSetTest : public testing::Test {
 protected:
  ShardSetTest() : codec_{load_text_codec(DFLASH_SOURCE_DIR "/configs/tiny/target")} {}
  void write(std::int64_t number, std::vector<std::int64_t> row_ids, std::map<std::string, std::string> settings) {
    std::vector<Document> rows;
    for (const std::int64_t id : row_ids) {
      rows.push_back({.row_id = id, .ids = {7, 8}, .loss_mask = {1, 1}});
    }
    write_shard(folder_.path() / shard_name(number), rows, settings);
  }
  void list(std::int64_t shards, std::int64_t rows) {
    write_shard_list(folder_.path(),
                     Json{{"shards", shards}, {"rows", rows}, {"tokens", 2 * rows}, {"settings", settings_}});
  }
  void expect_refusal(const std::string& message) {
    EXPECT_THAT([&] { ShardSet{folder_.path()}; }, ThrowsMessage<UserError>(HasSubstr(message)));
  }

  TextCodec codec_;
  std::map<std::string, std::string> settings_ = codec_settings(codec_);
  TemporaryFolder folder_;
};

TEST_F(ShardSetTest, FindsARowInItsShard) {
  write(0, {0, 1, 4}, settings_);
  write(1, {6, 7}, settings_);
  list(2, 5);
  const ShardSet set{folder_.path()};
  ASSERT_EQ(set.rows(), 5);
  EXPECT_EQ(set.tokens(), 10);
  std::vector<std::int64_t> found;
  for (std::int64_t i = 0; i < 5; ++i) {
    found.push_back(set.row(i).row_id);
  }
  EXPECT_EQ(found, (std::vector<std::int64_t>{0, 1, 4, 6, 7}));
  set.require_codec(codec_);
}

TEST_F(ShardSetTest, RefusesAFolderThatIsNotComplete) {
  expect_refusal("has no shards.json");
  write(0, {0}, settings_);
  list(2, 2);
  expect_refusal("shard-00001.safetensors");
  list(1, 2);
  expect_refusal("found 1 rows of 2 tokens in 1 shards, shards.json says 2 and 4");
  list(0, 0);
  expect_refusal("there are no rows");
}

TEST_F(ShardSetTest, D10NoShardThatIsMissingOrCutReachesTheTrainer) {
  for (std::int64_t number = 0; number < 3; ++number) {
    write(number, {number}, settings_);
  }
  list(3, 3);
  EXPECT_EQ(ShardSet{folder_.path()}.rows(), 3);
  const std::filesystem::path last = folder_.path() / shard_name(2);
  std::filesystem::resize_file(last, std::filesystem::file_size(last) - 4);
  expect_refusal("shard-00002.safetensors");
  write(2, {2}, settings_);
  std::filesystem::remove(folder_.path() / shard_name(1));
  expect_refusal("shard-00001.safetensors");
}

TEST_F(ShardSetTest, RefusesShardsOfAnotherMaking) {
  auto other = settings_;
  other["tokenizer"] = "0123456789abcdef";
  write(0, {0}, settings_);
  write(1, {1}, other);
  list(2, 2);
  expect_refusal("was made with tokenizer 0123456789abcdef, the others with");
}

TEST_F(ShardSetTest, RefusesAnotherWishForThinking) {
  settings_["thinking"] = "on";
  write(0, {0}, settings_);
  list(1, 1);
  const ShardSet set{folder_.path()};
  EXPECT_THAT([&] { set.require_codec(codec_); },
              ThrowsMessage<UserError>(HasSubstr("was made with thinking on, the target has unset")));
}

TEST_F(ShardSetTest, RefusesAnotherTargetsTokenizer) {
  settings_["chat_template"] = "0123456789abcdef";
  write(0, {0}, settings_);
  list(1, 1);
  const ShardSet set{folder_.path()};
  EXPECT_THAT([&] { set.require_codec(codec_); },
              ThrowsMessage<UserError>(HasSubstr("was made with chat_template 0123456789abcdef, the target has")));
}

}  // namespace
}  // namespace dflash
