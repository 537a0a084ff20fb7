// SPDX-License-Identifier: Apache-2.0
#include "framework/core/stage_runner.h"

#include <deque>

#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "tests/framework/number_stages.h"

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::Throws;
using testing::ThrowsMessage;

struct Halver final : Stage {
  static StageInfo info() { return {.type = "halver", .summary = "halves even numbers", .drives_steps = true}; }
  Input<std::int64_t> in{*this, "in", "numbers"};
  Output<std::int64_t> out{*this, "out", "halves"};
  void open(const StageEnv& env) override { env.log->set_metric("opened", 1.0); }
  void fire(Firing& firing) override {
    Span whole{firing, "whole"};
    Span part{firing, "part"};
    const std::int64_t value = firing.take(in);
    firing.emit(out, value / 2);
    DFLASH_USER_CHECK(value % 2 == 0, "{} is odd", value);
    firing.count("halved", 1);
    firing.complete_step(firing.number());
  }
  void close() noexcept override { ++closed; }
  int closed = 0;
};

struct Fifo final : Buffer {
  static StageInfo info() { return {.type = "fifo", .summary = "keeps two"}; }
  Input<std::int64_t> in{*this, "in", "numbers"};
  Output<std::int64_t> out{*this, "out", "numbers"};
  bool has_room() const override { return items.size() < 2; }
  bool has_ready(bool ended) const override { return ended ? !items.empty() : items.size() == 2; }
  void put(Item item) override { items.push_back(std::move(item)); }
  Item pop() override {
    Item item = std::move(items.front());
    items.pop_front();
    return item;
  }
  std::int64_t size() const override { return static_cast<std::int64_t>(items.size()); }
  std::int64_t capacity() const override { return 2; }
  std::deque<Item> items;
};

TEST(StageRunner, FiresAndCollectsOutputsCountersSpansAndSteps) {
  Halver halver;
  StageRunner runner{halver};
  runner.feed(halver.in, std::int64_t{8});
  runner.feed(halver.in, std::int64_t{6});
  runner.fire();
  runner.fire();
  EXPECT_THAT(runner.outputs(halver.out), ElementsAre(4, 3));
  EXPECT_THAT(runner.outputs(halver.out), IsEmpty());
  EXPECT_THAT(runner.counters(), ElementsAre(Pair("halved", 2)));
  EXPECT_THAT(runner.completed_steps(), ElementsAre(1, 2));
  EXPECT_EQ(runner.spans().at("whole").count, 2);
  EXPECT_GE(runner.spans().at("whole").ns, runner.spans().at("part").ns);
  EXPECT_EQ(runner.log().metrics().at("opened"), 1.0);
}

TEST(StageRunner, LeavesNothingOfAFailedFiring) {
  Halver halver;
  StageRunner runner{halver};
  runner.feed(halver.in, std::int64_t{7});
  EXPECT_THAT([&] { runner.fire(); }, ThrowsMessage<UserError>(HasSubstr("7 is odd")));
  EXPECT_THAT(runner.outputs(halver.out), IsEmpty());
}

TEST(StageRunner, RefusesToFireWithoutInputs) {
  Halver halver;
  StageRunner runner{halver};
  EXPECT_THAT([&] { runner.fire(); }, Throws<InternalError>());
}

TEST(StageRunner, ClosesOnce) {
  Halver halver;
  {
    StageRunner runner{halver};
  }
  EXPECT_EQ(halver.closed, 1);
}

TEST(StageRunner, RunsASourceToItsEnd) {
  NumberSource source{3};
  StageRunner runner{source};
  EXPECT_EQ(runner.run_until_end(100), 4);
  EXPECT_TRUE(runner.ended());
  EXPECT_THAT(runner.outputs(source.out), ElementsAre(0, 1, 2));
}

TEST(StageRunner, StopsASourceAfterTheGivenFirings) {
  NumberSource source{100};
  StageRunner runner{source};
  EXPECT_EQ(runner.run_until_end(2), 2);
  EXPECT_FALSE(runner.ended());
  EXPECT_THAT(runner.outputs(source.out), ElementsAre(0, 1));
}

TEST(StageRunner, DrainsWhatIsHeldBack) {
  NumberPacker packer{2};
  StageRunner runner{packer};
  for (const std::int64_t value : {1, 2, 3}) {
    runner.feed(packer.in, value);
  }
  EXPECT_EQ(runner.run_until_end(100), 3);
  runner.drain();
  EXPECT_THAT(runner.outputs(packer.out), ElementsAre(3, 3));
}

TEST(StageRunner, SavesAndLoadsThroughText) {
  NumberPacker packer{2};
  StageRunner runner{packer};
  runner.feed(packer.in, std::int64_t{5});
  runner.fire();

  NumberPacker restored{2};
  StageRunner other{restored};
  other.load(runner.save());
  other.feed(restored.in, std::int64_t{6});
  other.fire();
  EXPECT_THAT(other.outputs(restored.out), ElementsAre(11));
}

TEST(StageRunner, DrivesABufferByPutAndPop) {
  Fifo fifo;
  StageRunner runner{fifo};
  for (const std::int64_t value : {1, 2, 3}) {
    runner.feed(fifo.in, value);
  }
  runner.put();
  EXPECT_THAT([&] { runner.pop(); }, ThrowsMessage<InternalError>(HasSubstr("nothing ready")));
  runner.put();
  EXPECT_THAT([&] { runner.put(); }, ThrowsMessage<InternalError>(HasSubstr("no room")));
  runner.pop();
  runner.pop(true);
  EXPECT_THAT(runner.outputs(fifo.out), ElementsAre(1, 2));
}

}  // namespace
}  // namespace dflash
