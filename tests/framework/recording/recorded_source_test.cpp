// SPDX-License-Identifier: Apache-2.0
#include "framework/recording/recorded_source.h"

#include <limits>
#include <optional>

#include <gmock/gmock.h>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "framework/core/snapshot.h"
#include "framework/core/stage_runner.h"
#include "tests/framework/number_stages.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::ElementsAre;

constexpr std::int64_t kMany = 100;

class RecordedSourceTest : public testing::Test {
 protected:
  /// 10, nothing, 12.
  RecordedSourceTest() {
    RecordingWriter writer{file_, {.port = "a.out", .type = "number"}};
    writer.add(0, 1, ItemType<std::int64_t>::serialize(10));
    writer.add(2, 3, ItemType<std::int64_t>::serialize(12));
    writer.end(RecordingEnd::kStream);
  }
  [[nodiscard]] RecordedSource source(std::int64_t rounds = 1) const {
    return {Recording{file_}, "out", item_type<std::int64_t>(), rounds};
  }
  /// -1 for an item that stands for a skipped firing.
  static std::vector<std::int64_t> played(RecordedSource& source, StageRunner& runner, std::int64_t firings = kMany) {
    (void)runner.run_until_end(firings);
    std::vector<std::int64_t> values;
    for (Item& item : runner.output_items(source.items)) {
      values.push_back(item.is_tombstone() ? -1 : take_payload<std::int64_t>(std::move(item)));
    }
    return values;
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "a.out.items";
};

TEST_F(RecordedSourceTest, PlaysWhatWasRecordedAndSkipsWhatWasSkipped) {
  RecordedSource source = this->source();
  StageRunner runner{source};
  EXPECT_THAT(played(source, runner), ElementsAre(10, -1, 12));
  EXPECT_TRUE(runner.ended());
}

TEST_F(RecordedSourceTest, PlaysItAsOftenAsItIsTold) {
  RecordedSource source = this->source(2);
  StageRunner runner{source};
  EXPECT_THAT(played(source, runner), ElementsAre(10, -1, 12, 10, -1, 12));
}

TEST_F(RecordedSourceTest, GoesOnWhereASnapshotLeftIt) {
  RecordedSource first = source(2);
  StageRunner before{first};
  EXPECT_THAT(played(first, before, 2), ElementsAre(10, -1));
  RecordedSource second = source(2);
  StageRunner after{second};
  after.load(before.save());
  EXPECT_THAT(played(second, after), ElementsAre(12, 10, -1, 12));
}

TEST_F(RecordedSourceTest, RefusesMoreItemsThanCanBeNumbered) {
  EXPECT_THROW((void)source(std::numeric_limits<std::int64_t>::max()), UserError);
}

// Or a damaged number would be made up for by firings without end.
TEST_F(RecordedSourceTest, ReadsAnItemBeforeItMakesUpForTheSkippedOnesInFront) {
  RecordingWriter writer{file_, {.port = "a.out", .type = "number"}};
  writer.add(5, 1, ItemType<std::int64_t>::serialize(10));
  writer.end(RecordingEnd::kStream);
  std::string bytes = read_text(file_);
  bytes[bytes.find('\n') + 1 + 8] = '\x55';
  write_durably(file_, bytes);
  RecordedSource source = this->source();
  StageRunner runner{source};
  EXPECT_THROW(runner.fire(), UserError);
}

TEST_F(RecordedSourceTest, SaysHowMuchIsDone) {
  RecordedSource source = this->source(2);
  StageRunner runner{source};
  (void)played(source, runner, 3);
  const WorkDone work = runner.log().work();
  EXPECT_EQ(work.unit, "item");
  EXPECT_EQ(work.total, 4);
  EXPECT_EQ(work.done, 2);
}

}  // namespace
}  // namespace dflash
