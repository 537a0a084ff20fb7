// SPDX-License-Identifier: Apache-2.0
#include <barrier>
#include <numeric>

#include <gmock/gmock.h>

#include "framework/runtime/executor.h"
#include "tests/framework/runtime/training_run.h"
#include "tests/framework/tangle.h"
#include "tests/framework/test_stages.h"

namespace dflash {
namespace {

using testing::Each;
using testing::ElementsAreArray;
using testing::SizeIs;

TEST(Scheduling, NoOrderOfStagesChangesTheResultOrHangs) {
  Tangle by_workers;
  const std::vector<std::int64_t> expected = by_workers.run(std::nullopt);
  ASSERT_EQ(by_workers.record.outcome.code, 0) << by_workers.record.outcome.text;
  ASSERT_THAT(expected, SizeIs(72));
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Tangle tangle;
    EXPECT_EQ(tangle.run(seed), expected) << "seed " << seed;
    EXPECT_EQ(tangle.record.outcome.code, 0) << tangle.record.outcome.text;
  }
}

/// How often each stage fires before the other, as a stage in the middle saw it.
std::vector<std::int64_t> order_of_firings(std::uint64_t seed) {
  Graph graph;
  std::vector<std::int64_t> order;
  auto& source = graph.add<NumberSource>("source", 30);
  auto& left = graph.add<ProbeStage>("left");
  auto& right = graph.add<ProbeStage>("right");
  auto& left_sink = graph.add<NumberSink>("left_sink");
  auto& right_sink = graph.add<NumberSink>("right_sink");
  left.on_fire = [&](std::int64_t value) { order.push_back(value); };
  right.on_fire = [&](std::int64_t value) { order.push_back(-value); };
  graph.connect(source.out, left.in);
  graph.connect(source.out, right.in);
  graph.connect(left.out, left_sink.in);
  graph.connect(right.out, right_sink.in);
  RunOptions options;
  options.order_seed = seed;
  (void)Executor{graph, options}.run();
  return order;
}

TEST(Scheduling, ASingleWorkerRepeatsItsOrderBySeed) {
  EXPECT_EQ(order_of_firings(7), order_of_firings(7));
  EXPECT_NE(order_of_firings(7), order_of_firings(8));
}

/// Each four firings wait for one another, so that they end only where four are under way at once.
struct MeetingStage final : Transform<std::int64_t, std::int64_t> {
  MeetingStage() : Transform{"in", "numbers", "out", "numbers"} {}
  static StageInfo info() { return {.type = "meeting", .summary = "meets itself", .stateless = true}; }
  std::int64_t transform(std::int64_t value, Firing&) override {
    meeting.arrive_and_wait();
    return value;
  }
  std::barrier<> meeting{4};
};

TEST(Scheduling, ReplicasOverlapAndKeepTheOrder) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 40);
  Placement four;
  four.replicas = 4;
  auto owned = std::make_unique<MeetingStage>();
  MeetingStage& meeting = *owned;
  graph.add_stage("meeting", MeetingStage::info(), std::move(owned), four);
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, meeting.in);
  graph.connect(meeting.out, sink.in);
  const RunRecord record = Executor{graph, {}}.run();
  std::vector<std::int64_t> all(40);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(record.outcome.code, 0) << record.outcome.text;
  EXPECT_EQ(sink.seen, all);
  const StageRecord& stage = record.stages.at(1);
  EXPECT_EQ(stage.slots, 4);
  EXPECT_EQ(stage.firings, 40);
  EXPECT_EQ(stage.service.count(), 40);
  EXPECT_LE(std::abs(stage.unaccounted_ns), stage.slots * record.wall_ns / 100);
}

TEST(Scheduling, RunsWithReplicasResumeExactly) {
  expect_exact_resume(
      [](Graph& graph) -> StepStage& {
        auto& source = graph.add<NumberSource>("source", 100'000);
        Placement thrice;
        thrice.replicas = 3;
        auto owned = std::make_unique<SleepyStage>(std::chrono::microseconds{0});
        SleepyStage& parallel = *owned;
        graph.add_stage("parallel", SleepyStage::info(), std::move(owned), thrice);
        auto& packer = graph.add<NumberPacker>("packer", 3);
        auto& step = graph.add<StepStage>("step", 2);
        graph.connect(source.out, parallel.in);
        graph.connect(parallel.out, packer.in);
        graph.connect(packer.out, step.in);
        return step;
      },
      2);
}

}  // namespace
}  // namespace dflash
