// SPDX-License-Identifier: Apache-2.0
#include "framework/recording/item_recorder.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "framework/core/stage_runner.h"
#include "framework/recording/recording.h"
#include "tests/framework/number_stages.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class ItemRecorderTest : public testing::Test {
 protected:
  explicit ItemRecorderTest(std::int64_t most_items = 0)
      : recorder_{{.port = "a.out", .type = "number"}, item_type<std::int64_t>(), most_items} {
    StageEnv env;
    env.run_dir = folder_.path();
    runner_.emplace(recorder_, env);
  }
  void take(std::int64_t value, std::int64_t firing) {
    Item item = make_item(value);
    item.from_firing = firing;
    runner_->feed_item(recorder_.items, std::move(item));
    runner_->fire();
  }
  [[nodiscard]] std::vector<std::int64_t> recorded() const {
    const Recording recording{file_};
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < recording.size(); ++i) {
      values.push_back(ItemType<std::int64_t>::deserialize(recording.read(i).bytes, "cpu"));
    }
    return values;
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "recordings" / "a.out.items";
  ItemRecorder recorder_;
  std::optional<StageRunner> runner_;
};

TEST_F(ItemRecorderTest, WritesEachItemAndAtTheEndThatItIsWhole) {
  take(7, 1);
  take(9, 2);
  EXPECT_EQ(Recording{file_}.extent(), "incomplete: 2 items and no end");
  runner_->drain();
  EXPECT_EQ(Recording{file_}.extent(), "2 items");
  EXPECT_THAT(recorded(), ElementsAre(7, 9));
  EXPECT_EQ(Recording{file_}.read(1).firing, 2);
  EXPECT_EQ(Recording{file_}.read(1).seq, 1);
}

TEST_F(ItemRecorderTest, OfNothingIsWholeToo) {
  runner_->drain();
  EXPECT_EQ(Recording{file_}.extent(), "0 items");
}

TEST_F(ItemRecorderTest, TellsTheReportWhatItHas) {
  take(7, 1);
  runner_->drain();
  const Json told = runner_->log().summaries().at("recordings").at("a.out");
  EXPECT_EQ(told.at("items"), 1);
  EXPECT_EQ(told.at("bytes"), ItemType<std::int64_t>::serialize(7).size());
  EXPECT_EQ(told.at("whole"), true);
  EXPECT_EQ(runner_->counters().at("bytes_recorded"), told.at("bytes"));
}

TEST_F(ItemRecorderTest, AFullDiskIsAnErrorThatNamesTheFile) {
  std::filesystem::create_directories(file_.parent_path());
  take(7, 1);
  std::filesystem::remove(file_);
  std::filesystem::create_symlink("/dev/full", file_);
  EXPECT_THAT([&] { take(9, 2); }, ThrowsMessage<UserError>(AllOf(HasSubstr("a.out.items"), HasSubstr("No space"))));
}

class LimitedRecorderTest : public ItemRecorderTest {
 protected:
  LimitedRecorderTest() : ItemRecorderTest{2} {}
};

TEST_F(LimitedRecorderTest, IsWholeWithAsManyAsWereAskedForAndTakesTheRest) {
  take(7, 1);
  take(9, 2);
  EXPECT_EQ(Recording{file_}.extent(), "2 items");
  take(11, 3);
  runner_->drain();
  EXPECT_EQ(Recording{file_}.extent(), "2 items");
  EXPECT_THAT(recorded(), ElementsAre(7, 9));
  EXPECT_EQ(runner_->counters().at("items_not_recorded"), 1);
}

}  // namespace
}  // namespace dflash
