// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/device_slot.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <thread>

#include <gmock/gmock.h>

#include "framework/runtime/executor.h"
#include "framework/telemetry/steady_clock.h"
#include "tests/framework/kernel_chain.h"

namespace dflash {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using testing::HasSubstr;

double median(const Histogram& times) { return static_cast<double>(times.quantile(0.5)); }

std::vector<std::int64_t> numbers(std::int64_t count) {
  std::vector<std::int64_t> made(static_cast<std::size_t>(count));
  std::iota(made.begin(), made.end(), 0);
  return made;
}

TEST(DeviceSlot, PassesAllItemsInOrder) {
  KernelChain chain{200, nanoseconds{50'000}, nanoseconds{20'000}};
  const RunRecord record = chain.run();
  expect_whole(record);
  EXPECT_EQ(chain.host->seen, numbers(200));
  EXPECT_EQ(stage_of(record, "first").device_firings, 200);
}

TEST(DeviceSlot, DoesSoOnOneWorkerInAnyOrder) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    KernelChain chain{40, nanoseconds{20'000}, nanoseconds{10'000}};
    expect_whole(chain.run({.order_seed = seed}));
    EXPECT_EQ(chain.host->seen, numbers(40));
  }
}

TEST(DeviceSlot, DoesSoWithReplicasAndDrops) {
  Placement placement;
  placement.replicas = 3;
  KernelChain chain{100, nanoseconds{200'000}, nanoseconds{10'000}, placement};
  const RunRecord record = chain.run();
  expect_whole(record);
  EXPECT_EQ(chain.host->seen, numbers(100));
  const StageRecord& first = stage_of(record, "first");
  ASSERT_EQ(first.spans.size(), 1U);
  EXPECT_EQ(first.spans[0].count, 100) << "of all slots";
  EXPECT_GE(first.spans[0].device_ns, 100 * 200'000);
  EXPECT_LE(first.spans[0].device_ns, first.gpu_span.sum());
  const auto timeline = std::ranges::find(record.timeline.stages, "first", &StageTimeline::name);
  EXPECT_EQ(timeline->device_firings.size(), 101U) << "and the drain";
  EXPECT_EQ(timeline->device_spans.size(), 100U);
  EXPECT_EQ(timeline->spans.size(), 100U);
}

// D36: a producer that is faster than its consumer's kernels fills the edge and no more.
TEST(DeviceSlot, D36DeviceMemoryIsBoundedByTheEdge) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 100);
  auto& fill = graph.add<FillStage>("fill", nanoseconds{0});
  auto& read = graph.add<ReadStage>("read", milliseconds{1});
  auto& host = graph.add<HostStage>("host");
  graph.connect(source.out, fill.in);
  graph.connect(fill.out, read.in, {.items = 3});
  graph.connect(read.out, host.in);
  const RunRecord record = Executor{graph, {.device = "sim:0"}}.run();
  expect_whole(record);
  EXPECT_EQ(host.seen, numbers(100));
  EXPECT_EQ(fill.high, 3 * 1000);
  EXPECT_GT(stage_of(record, "fill").blocked_out_ns, 0);
}

TEST(DeviceSlot, AnInputStaysAliveUntilTheDeviceHasReadIt) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 1);
  auto& fill = graph.add<FillStage>("fill", nanoseconds{0});
  auto& read = graph.add<ReadStage>("read", milliseconds{20});
  auto& late = graph.add<KernelStage>("late", nanoseconds{0});
  auto& host = graph.add<HostStage>("host");
  graph.connect(source.out, fill.in);
  graph.connect(fill.out, read.in);
  graph.connect(read.out, late.in);
  graph.connect(late.out, host.in);
  bool was_gone = true;
  late.on_fire = [&] { was_gone = read.last.expired(); };  // launches behind "read", whose kernel still runs
  expect_whole(Executor{graph, {.device = "sim:0"}}.run());
  EXPECT_FALSE(was_gone);
  EXPECT_TRUE(read.last.expired());
}

TEST(DeviceSlot, TheHostRunsAheadOfTheDeviceByTwoFirings) {
  KernelChain chain{10, milliseconds{10}, nanoseconds{0}};
  std::vector<std::int64_t> fired_at;
  chain.first->on_fire = [&] { fired_at.push_back(steady_now_ns()); };
  const RunRecord record = chain.run();
  expect_whole(record);
  const StageRecord& first = stage_of(record, "first");
  EXPECT_GT(first.gpu_wait_ns, 0) << "for its own earlier firings";
  EXPECT_GT(first.gpu_queue_ns, 0) << "one firing is queued behind the one that runs";
  for (std::size_t i = 2; i < fired_at.size(); ++i) {
    EXPECT_GE(fired_at[i] - fired_at[0], static_cast<std::int64_t>(i - 1) * 10'000'000) << "the last but one is done";
  }
}

TEST(DeviceSlot, AStageInItsProducersWayWaitsThereForTheDevice) {
  for (const bool in_its_way : {false, true}) {
    Graph graph;
    auto& source = graph.add<NumberSource>("source", 5);
    auto& kernel = graph.add<KernelStage>("kernel", milliseconds{20});
    auto& host = graph.add<HostStage>("host", in_its_way);
    graph.connect(source.out, kernel.in);
    graph.connect(kernel.out, host.in);
    const RunRecord record = Executor{graph, {.device = "sim:0"}}.run();
    expect_whole(record);
    const StageRecord& reader = stage_of(record, "host");
    EXPECT_EQ(reader.busy_ns > reader.gpu_wait_ns, in_its_way);
  }
}

TEST(DeviceSlot, EachStageHasAThreadOfItsOwnUnlessALaneGathersThem) {
  KernelChain apart{20, nanoseconds{1000}, nanoseconds{1000}};
  std::set<std::thread::id> threads;
  const auto note = [&threads] { threads.insert(std::this_thread::get_id()); };
  apart.first->on_fire = note;
  const RunRecord record = apart.run();
  EXPECT_EQ(threads.size(), 1U) << "always the same one";
  EXPECT_EQ(stage_of(record, "first").lane, "sim:0 first");
  EXPECT_EQ(stage_of(record, "second").lane, "sim:0 second");
  EXPECT_EQ(stage_of(record, "host").lane, "cpu");
  threads.clear();
  Placement placement;
  placement.lane = "sim:0 second";
  KernelChain together{20, nanoseconds{1000}, nanoseconds{1000}, placement};
  together.first->on_fire = note;
  together.second->on_fire = note;
  expect_whole(together.run());
  EXPECT_EQ(threads.size(), 1U);
}

TEST(DeviceSlot, WaitingOfABodyForTheDeviceIsCounted) {
  KernelChain chain{10, milliseconds{1}, nanoseconds{0}};
  chain.second->synchronizes = true;
  EXPECT_EQ(chain.run().devices.front().host_waits, 10);
}

// D40: the error names the stage whose kernel it was, and none behind it.
TEST(DeviceSlot, D40AFaultIsBlamedOnItsOwnStage) {
  for (const bool second_synchronizes : {false, true}) {
    KernelChain chain{50, nanoseconds{0}, nanoseconds{0}};
    chain.first->faulty_at = 7;
    chain.second->synchronizes = second_synchronizes;
    const RunRecord record = chain.run();
    EXPECT_EQ(record.outcome.code, 1);
    EXPECT_EQ(record.outcome.text, "stage 'first', firing 7: its work on sim:0 failed: illegal address");
    EXPECT_EQ(record.errors.size(), 1U);
    EXPECT_LE(chain.host->seen.size(), 6U);
  }
}

// In a span, whose end cannot be marked on the device any more.
TEST(DeviceSlot, ABodyThatSeesItsOwnFaultIsBlamed) {
  KernelChain chain{50, nanoseconds{0}, nanoseconds{0}};
  chain.second->faulty_at = 3;
  chain.second->synchronizes = true;
  const RunRecord record = chain.run();
  EXPECT_EQ(record.outcome.code, 1);
  EXPECT_EQ(record.outcome.text, "stage 'second', firing 3: its work on sim:0 failed: illegal address");
}

TEST(DeviceSlot, AFailingBodyIsAnOrdinaryErrorAndWhatItQueuedIsSeenToItsEnd) {
  Placement placement;
  placement.inject = Inject{.throw_at = 5};
  KernelChain chain{50, milliseconds{1}, nanoseconds{0}, placement};
  const RunRecord record = chain.run();
  EXPECT_EQ(record.outcome.code, 1);
  EXPECT_THAT(record.outcome.text, HasSubstr("planted by inject.throw_at"));
}

TEST(DeviceSlot, ASkippedFiringLeavesATombstoneThatNobodyWaitsFor) {
  Placement placement;
  placement.inject = Inject{.throw_at = 5};
  placement.on_error.skip = true;
  KernelChain chain{20, milliseconds{1}, nanoseconds{0}, placement};
  expect_whole(chain.run());
  EXPECT_EQ(chain.host->seen.size(), 19U);
}

TEST(DeviceSlot, APlantedDelayIsTheDevices) {
  Placement placement;
  placement.inject = Inject{.gpu_sleep_ms = 4.0};
  KernelChain chain{20, nanoseconds{0}, nanoseconds{0}, placement};
  const RunRecord record = chain.run();
  expect_whole(record);
  EXPECT_NEAR(median(stage_of(record, "first").gpu_span), 4e6, 0.5e6);
}

TEST(DeviceSlot, APlantedDelayNeedsADevice) {
  Placement placement;
  placement.inject = Inject{.gpu_sleep_ms = 4.0};
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 3);
  auto& sleepy =
      graph.add_stage("sleepy", SleepyStage::info(), std::make_unique<SleepyStage>(milliseconds{0}), placement);
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect_ports(source.out, *sleepy.inputs()[0], {});
  graph.connect_ports(*sleepy.outputs()[0], sink.in, {});
  EXPECT_THROW(Executor(graph, {.device = "sim:0"}).run(), UserError);
}

TEST(DeviceSlot, ThroughABufferItemsKeepWhatMakesThem) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 30);
  auto& kernel = graph.add<KernelStage>("kernel", milliseconds{2});
  auto& queue = graph.add<NumberQueue>("queue", 8, 2);
  auto& host = graph.add<HostStage>("host");
  graph.connect(source.out, kernel.in);
  graph.connect(kernel.out, queue.in);
  graph.connect(queue.out, host.in);
  const RunRecord record = Executor{graph, {.device = "sim:0"}}.run();
  expect_whole(record);
  EXPECT_EQ(host.seen, numbers(30));
  EXPECT_GT(stage_of(record, "host").gpu_wait_ns, 0);
}

}  // namespace
}  // namespace dflash
