// SPDX-License-Identifier: Apache-2.0
#include "stages/prepare/shard_writer.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/snapshot.h"
#include "stages/prepare/shard_set.h"
#include "tests/stages/data/source_checks.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class ShardWriterTest : public testing::Test, protected CodecEnv {
 protected:
  ShardWriterTest() { writer_.shard_tokens.set(5); }
  [[nodiscard]] StageEnv in_folder() const {
    StageEnv made = env();
    made.run_dir = folder_.path();
    return made;
  }
  /// Rows of two tokens each, and some rejected ones.
  static TokenizedRows rows(std::int64_t first, std::int64_t count, std::int64_t rejected = 0) {
    TokenizedRows made{.file = "a.jsonl", .rows = count + rejected};
    for (std::int64_t i = 0; i < count; ++i) {
      made.documents.push_back({.row_id = first + i, .ids = {1, 2}, .loss_mask = {1, 1}});
    }
    made.rejected.assign(static_cast<std::size_t>(rejected), {"a.jsonl:1", "bad"});
    return made;
  }

  TemporaryFolder folder_;
  ShardWriter writer_;
};

TEST_F(ShardWriterTest, WritesAShardWheneverItHasEnough) {
  StageRunner runner{writer_, in_folder()};
  for (std::int64_t first = 0; first < 8; first += 2) {
    runner.feed(writer_.rows, rows(first, 2));
  }
  runner.run_until_end(4);
  EXPECT_EQ(runner.completed_steps(), (std::vector<std::int64_t>{1, 2}));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "shards" / "shards.json"));
  runner.drain();
  const ShardSet set{folder_.path() / "shards"};
  EXPECT_EQ(set.rows(), 8);
  set.require_codec(codec());
}

TEST_F(ShardWriterTest, GoesOnBehindItsLastShard) {
  Snapshot saved;
  {
    StageRunner runner{writer_, in_folder()};
    runner.feed(writer_.rows, rows(0, 3, 1));
    runner.fire();
    saved = runner.save(folder_.path());
  }
  ShardWriter writer;
  StageRunner runner{writer, in_folder()};
  runner.load(saved);
  runner.feed(writer.rows, rows(3, 1));
  writer.max_bad_fraction.set(0.2);
  runner.fire();
  runner.drain();
  EXPECT_EQ(ShardSet{folder_.path() / "shards"}.rows(), 4);
  const Json summary = runner.log().summaries().at("shards");
  EXPECT_EQ(summary.at("rows_in"), 5);
  EXPECT_EQ(summary.at("rejected").at("count"), 1);
  EXPECT_EQ(summary.at("shards"), 2);
  EXPECT_EQ(runner.log().summaries().at("notes").at("data"),
            (folder_.path() / "shards").string() +
                ": 4 rows, 8 tokens, shards: 2\n1 of 5 rows rejected:\n    a.jsonl:1: bad");
}

TEST_F(ShardWriterTest, TellsTheFirstReasonsAndHowManyMoreThereAre) {
  StageRunner runner{writer_, in_folder()};
  writer_.max_bad_fraction.set(0.9);
  runner.feed(writer_.rows, rows(0, 4, 6));
  runner.fire();
  runner.drain();
  EXPECT_THAT(runner.log().summaries().at("notes").at("data").get<std::string>(),
              HasSubstr("6 of 10 rows rejected:\n    a.jsonl:1: bad\n    a.jsonl:1: bad\n    a.jsonl:1: bad\n    "
                        "a.jsonl:1: bad\n    ... and 2 more"));
}

TEST_F(ShardWriterTest, RefusesTooManyBadRows) {
  StageRunner runner{writer_, in_folder()};
  runner.feed(writer_.rows, rows(0, 9, 1));
  runner.fire();
  EXPECT_THAT([&] { runner.drain(); }, ThrowsMessage<UserError>(HasSubstr("1 of 10 rows are rejected")));
  EXPECT_THAT([&] { ShardSet{folder_.path() / "shards"}; }, ThrowsMessage<UserError>(HasSubstr("has no shards.json")));
}

TEST_F(ShardWriterTest, EndsEarlyWhereAllRowsAreBad) {
  StageRunner runner{writer_, in_folder()};
  runner.feed(writer_.rows, rows(0, 0, 1000));
  EXPECT_THAT([&] { runner.fire(); },
              ThrowsMessage<UserError>(HasSubstr("none of the first rows can be used (1000 of 1000 rejected)")));
}

TEST_F(ShardWriterTest, SaysThatNoRowCanBeUsedWhateverFractionIsAllowed) {
  writer_.max_bad_fraction.set(1.0);
  StageRunner runner{writer_, in_folder()};
  runner.feed(writer_.rows, rows(0, 0, 3));
  runner.fire();
  EXPECT_THAT([&] { runner.drain(); },
              ThrowsMessage<UserError>(HasSubstr("a.jsonl: none of its rows can be used (3 of 3 rejected):\n    ")));
}

TEST_F(ShardWriterTest, RefusesDataWithoutAnAnchor) {
  StageRunner runner{writer_, in_folder()};
  TokenizedRows none{.file = "a.jsonl", .rows = 2};
  none.without_anchor = 2;
  runner.feed(writer_.rows, none);
  runner.fire();
  EXPECT_THAT([&] { runner.drain(); }, ThrowsMessage<UserError>(HasSubstr("none of 2 rows has two supervised")));
}

}  // namespace
}  // namespace dflash
