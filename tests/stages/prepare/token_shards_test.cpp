// SPDX-License-Identifier: Apache-2.0
#include "stages/prepare/token_shards.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "tests/stages/data/source_checks.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class TokenShardsTest : public testing::Test, protected CodecEnv {
 protected:
  void write(std::vector<Document> rows) {
    std::int64_t tokens = 0;
    for (const Document& row : rows) {
      tokens += std::ssize(row.ids);
    }
    write_shard(folder_.path() / shard_name(0), rows, codec_settings(codec()));
    write_shard_list(
        folder_.path(),
        Json{{"shards", 1}, {"rows", rows.size()}, {"tokens", tokens}, {"settings", codec_settings(codec())}});
  }
  static Document row(std::int64_t id, std::vector<std::int32_t> ids) {
    const std::size_t length = ids.size();
    return {.row_id = id, .ids = std::move(ids), .loss_mask = std::vector<std::uint8_t>(length, 1)};
  }
  void set_up(TokenShards& stage) const { stage.path.set(folder_.path().string()); }

  TemporaryFolder folder_;
};

TEST_F(TokenShardsTest, GivesEachRowOnceAnEpochAndCutsLongOnes) {
  write({row(4, {5, 6, 7}), row(8, {5, 6})});
  TokenShards stage;
  set_up(stage);
  stage.epochs.set(2);
  stage.shuffle.set(false);
  stage.max_length.set(2);
  StageRunner runner{stage, env()};
  const std::vector<Document> found = documents(runner, stage, 10);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_TRUE(runner.ended());
  EXPECT_EQ(found[2].row_id, 4);
  EXPECT_EQ(found[2].epoch, 1);
  EXPECT_EQ(found[0].ids, (std::vector<std::int32_t>{5, 6}));
  EXPECT_EQ(found[0].loss_mask.size(), 2U);
}

TEST_F(TokenShardsTest, GoesOnWithTheSameItemsAfterLoad) {
  std::vector<Document> rows;
  for (std::int32_t id = 0; id < 7; ++id) {
    rows.push_back(row(id, {id + 10, id + 11}));
  }
  write(rows);
  expect_same_after_load<TokenShards>([&](TokenShards& stage) { set_up(stage); }, env(), 5, 20);
}

TEST_F(TokenShardsTest, RefusesIdsBeyondTheVocabulary) {
  write({row(0, {1, 1 << 20})});
  TokenShards stage;
  set_up(stage);
  EXPECT_THAT(([&] { StageRunner{stage, env()}; }), ThrowsMessage<UserError>(HasSubstr("has id 1048576")));
}

TEST_F(TokenShardsTest, RefusesAFolderWithoutShards) {
  TokenShards stage;
  set_up(stage);
  EXPECT_THAT(([&] { StageRunner{stage, env()}; }), ThrowsMessage<UserError>(HasSubstr("has no shards.json")));
  stage.path.set("missing");
  EXPECT_THAT(([&] { StageRunner{stage, env()}; }), ThrowsMessage<UserError>(HasSubstr("no such folder of shards")));
}

TEST_F(TokenShardsTest, FindsTheOneRowWithAnAnchorInEveryEpochsOrder) {
  std::vector<Document> rows{row(0, {5, 6}), row(1, {5, 6}), row(2, {5, 6})};
  rows[1].loss_mask = rows[2].loss_mask = {0, 0};
  write(rows);
  TokenShards stage;
  set_up(stage);
  stage.epochs.set(50);
  StageRunner runner{stage, env()};
  EXPECT_EQ(documents(runner, stage, 100).size(), 50U);
  EXPECT_TRUE(runner.ended());
}

TEST_F(TokenShardsTest, EndsWhereNoRowHasAnAnchor) {
  Document unsupervised = row(0, {5, 6});
  unsupervised.loss_mask = {0, 0};
  write({unsupervised});
  TokenShards stage;
  set_up(stage);
  EXPECT_THAT(([&] { StageRunner{stage, env()}; }),
              ThrowsMessage<UserError>(HasSubstr("no row has an anchor within max_length")));
}

}  // namespace
}  // namespace dflash
