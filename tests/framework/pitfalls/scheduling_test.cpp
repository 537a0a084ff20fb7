// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <barrier>
#include <chrono>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <oneapi/tbb/parallel_for.h>

#include "framework/runtime/executor.h"
#include "tests/framework/runtime/training_run.h"
#include "tests/framework/tangle.h"
#include "tests/framework/test_stages.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAreArray;
using testing::HasSubstr;
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

/// Spreads a loop over the workers of its own lane, and looks whether a firing began within it on the thread that waits
/// for the loop's end.
struct LoopStage final : Transform<std::int64_t, std::int64_t> {
  explicit LoopStage(std::atomic<int>& count) : Transform{"in", "numbers", "out", "numbers"}, nested{&count} {}
  static StageInfo info() { return {.type = "loop", .summary = "runs a loop", .stateless = true}; }
  std::int64_t transform(std::int64_t value, Firing&) override {
    thread_local bool is_in_a_body = false;
    *nested += is_in_a_body ? 1 : 0;
    const bool before = std::exchange(is_in_a_body, true);
    std::atomic<std::int64_t> sum{0};
    tbb::parallel_for(0, 16, [&](int i) {
      std::this_thread::sleep_for(std::chrono::microseconds{20});
      sum += i;
    });
    is_in_a_body = before;
    return value + sum - 120;
  }
  std::atomic<int>* nested;
};

TEST(D10, BodiesThatRunLoopsOnTheirOwnFullLaneEndAndStayByThemselves) {
  Graph graph;
  std::atomic<int> nested{0};
  auto& source = graph.add<NumberSource>("source", 100);
  auto& sink = graph.add<NumberSink>("sink");
  const Output<std::int64_t>* feed = &source.out;
  for (int i = 0; i < 4; ++i) {
    Placement placement;
    placement.replicas = i == 2 ? 3 : 1;
    auto owned = std::make_unique<LoopStage>(nested);
    LoopStage& loop = *owned;
    graph.add_stage(fmt::format("loop{}", i), LoopStage::info(), std::move(owned), placement);
    graph.connect(*feed, loop.in);
    feed = &loop.out;
  }
  graph.connect(*feed, sink.in);
  const RunRecord record = Executor{graph, {}}.run();
  EXPECT_EQ(record.outcome.code, 0) << record.outcome.text;
  std::vector<std::int64_t> all(100);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sink.seen, all);
  // Else it would run under what the outer body has set for its thread or holds, and could wait for that for ever.
  EXPECT_EQ(nested, 0) << "firings that began within another one's body, on its thread";
}

/// Fails in its first firing, once all other slots have done theirs and wait for it.
struct FirstFails final : Transform<std::int64_t, std::int64_t> {
  FirstFails() : Transform{"in", "numbers", "out", "numbers"} {}
  static StageInfo info() { return {.type = "first_fails", .summary = "fails at last", .stateless = true}; }
  std::int64_t transform(std::int64_t value, Firing&) override {
    others.arrive_and_wait();
    const std::lock_guard lease{leased};
    DFLASH_CHECK(value != 0, "planted, with the lease held");
    return value;
  }
  std::barrier<> others{4};
  std::mutex leased;  // that all slots need
};

TEST(D12, ABodyThatFailsWhileOthersWaitForItsLeaseAndItsTurnEndsTheRun) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 4);
  Placement four;
  four.replicas = 4;
  auto owned = std::make_unique<FirstFails>();
  FirstFails& fails = *owned;
  graph.add_stage("fails", FirstFails::info(), std::move(owned), four);
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, fails.in);
  graph.connect(fails.out, sink.in);
  const RunRecord record = Executor{graph, {}}.run();
  EXPECT_EQ(record.outcome.code, 1);
  EXPECT_THAT(record.outcome.text, AllOf(HasSubstr("stage 'fails'"), HasSubstr("with the lease held")));
  EXPECT_THAT(record.errors, SizeIs(1));
  EXPECT_THAT(sink.seen, SizeIs(0)) << "what comes after the failed one has lost its place";
  EXPECT_TRUE(fails.leased.try_lock());
  fails.leased.unlock();
}

/// Holds a lock that all stages need, as an interpreter's, in its whole body; makes many of each number.
struct LockHolder final : Stage {
  LockHolder(std::mutex& common, std::int64_t times) : lock{&common}, copies{times} {}
  static StageInfo info() { return {.type = "lock_holder", .summary = "holds a lock"}; }
  Input<std::int64_t> in{*this, "in", "numbers"};
  Output<std::int64_t> out{*this, "out", "numbers"};
  void fire(Firing& firing) override {
    const std::lock_guard held{*lock};
    const std::int64_t value = firing.take(in);
    for (std::int64_t i = 0; i < copies; ++i) {
      firing.emit(out, value * copies + i);
    }
  }
  void drain(Firing&) override { const std::lock_guard held{*lock}; }
  std::mutex* lock;
  std::int64_t copies;
};

TEST(D39, AFullEdgeIsNotWaitedForWithALockThatItsConsumerNeeds) {
  Graph graph;
  std::mutex common;
  auto& source = graph.add<NumberSource>("source", 50);
  auto& many = graph.add<LockHolder>("many", common, 20);
  auto& one = graph.add<LockHolder>("one", common, 1);
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, many.in, {.items = 1});
  graph.connect(many.out, one.in, {.items = 1});
  graph.connect(one.out, sink.in, {.items = 1});
  const RunRecord record = Executor{graph, {}}.run();
  EXPECT_EQ(record.outcome.code, 0) << record.outcome.text;
  std::vector<std::int64_t> all(1000);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sink.seen, all);
  EXPECT_EQ(record.edges.at(1).max_fill, 1);
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
