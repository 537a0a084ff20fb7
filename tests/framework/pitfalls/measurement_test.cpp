// SPDX-License-Identifier: Apache-2.0
// D27: pipelines of which it is known what limits them, run by the executor: the verdict must name that, and the record
// must agree with itself.
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include <gmock/gmock.h>

#include "framework/report/self_checks.h"
#include "tests/framework/pitfalls/known_bottleneck.h"

namespace dflash {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

TEST_F(D27, ASlowStageInTheMiddleIsNamed) {
  run_chain({1000, 1200, 4000, 1400});
  expect_bottleneck("s2", VerdictKind::kCpuBody);
}

TEST_F(D27, ASlowSourceIsNamed) {
  run_chain({4000, 1200, 1000, 1400});
  expect_bottleneck("s0", VerdictKind::kSource);
}

TEST_F(D27, ASlowSinkIsNamed) {
  run_chain({1000, 1200, 1400, 4000});
  expect_bottleneck("s3", VerdictKind::kCpuBody);
}

TEST_F(D27, EqualStagesAreBalanced) {
  run_chain({2000, 2000, 2000, 2000}, 1);
  if (!IsSkipped()) {
    EXPECT_EQ(verdict.kind, VerdictKind::kBalanced) << verdict.text;
  }
}

TEST_F(D27, EqualStagesAreBalancedBetweenQuickOnesToo) {
  run([](PlantedPipeline& planted) {
    auto& source = planted.graph.add<NumberSource>("source", kItems);
    auto& s1 = planted.stage("s1", microseconds{2000});
    auto& s2 = planted.stage("s2", microseconds{2000});
    auto& s3 = planted.stage("s3", microseconds{2000});
    auto& sink = planted.graph.add<NumberSink>("sink");
    planted.graph.connect(source.out, s1.in);
    planted.graph.connect(s1.out, s2.in);
    planted.graph.connect(s2.out, s3.in);
    planted.graph.connect(s3.out, sink.in);
  });
  if (!IsSkipped()) {
    EXPECT_EQ(verdict.kind, VerdictKind::kBalanced) << verdict.text;
  }
}

void plant_on_one_worker(PlantedPipeline& planted, bool on_a_lane) {
  planted.may_wait_for_workers = true;
  planted.options.order_seed = on_a_lane ? std::nullopt : std::optional<std::uint64_t>{7};
  auto& source = planted.graph.add<NumberSource>("source", kItems);
  auto& s0 = planted.stage("s0", microseconds{1000});
  auto& s1 = planted.stage("s1", microseconds{1200}, 1, on_a_lane);
  auto& s2 = planted.stage("s2", microseconds{4000}, 1, on_a_lane);
  auto& s3 = planted.stage("s3", microseconds{1400}, 1, on_a_lane);
  auto& sink = planted.graph.add<NumberSink>("sink");
  planted.graph.connect(source.out, s0.in);
  planted.graph.connect(s0.out, s1.in);
  planted.graph.connect(s1.out, s2.in);
  planted.graph.connect(s2.out, s3.in);
  planted.graph.connect(s3.out, sink.in);
}

TEST_F(D27, AStageThatHoldsTheOnlyWorkerOfALaneIsNamedWithThatLane) {
  run([](PlantedPipeline& planted) { plant_on_one_worker(planted, true); });
  expect_bottleneck("s2", VerdictKind::kCpuBody);
  if (!IsSkipped()) {
    EXPECT_THAT(verdict.text, HasSubstr("of the only worker of lane 'lane of s0', which 4 stages share"));
  }
}

TEST_F(D27, AStageThatHoldsTheOnlyWorkerOfTheRunIsNamed) {
  run([](PlantedPipeline& planted) { plant_on_one_worker(planted, false); });
  expect_bottleneck("s2", VerdictKind::kCpuBody);
  if (!IsSkipped()) {
    EXPECT_THAT(verdict.text, HasSubstr("of the only worker of lane 'single worker'"));
  }
}

void plant_replicas(PlantedPipeline& planted, int before, int replicated, int after) {
  auto& source = planted.source("source", microseconds{before});
  auto& three = planted.stage("three", microseconds{replicated}, 3);
  auto& sink = planted.sink("sink", microseconds{after});
  planted.graph.connect(source.out, three.in);
  planted.graph.connect(three.out, sink.in);
}

TEST_F(D27, AStageThatReplicasMadeFastEnoughIsNotBlamed) {
  run([](PlantedPipeline& planted) { plant_replicas(planted, 1000, 4000, 3000); });
  expect_bottleneck("sink", VerdictKind::kCpuBody);
}

TEST_F(D27, AStageThatIsTooSlowInSpiteOfItsReplicasIs) {
  run([](PlantedPipeline& planted) { plant_replicas(planted, 1000, 9000, 1000); });
  expect_bottleneck("three", VerdictKind::kCpuBody);
}

// A buffer passes waiting on, but what its own work causes.
TEST_F(D27, ASlowBufferIsNamed) {
  run([](PlantedPipeline& planted) {
    auto& source = planted.source("source", microseconds{1000});
    Placement slow;
    slow.inject = Inject{.sleep_ms = 3.0};
    auto owned = std::make_unique<NumberQueue>(8, 2);
    auto& queue = planted.note("queue", microseconds{3000}, *owned);
    planted.graph.add_stage("queue", NumberQueue::info(), std::move(owned), std::move(slow));
    auto& sink = planted.sink("sink", microseconds{1500});
    planted.graph.connect(source.out, queue.in);
    planted.graph.connect(queue.out, sink.in);
  });
  expect_bottleneck("queue", VerdictKind::kCpuBody);
  if (!IsSkipped()) {
    EXPECT_THAT(verdict.text, HasSubstr("that stage 'queue' allows"));
  }
}

TEST_F(D27, ASlowBranchThatDropsIsNotBlamedForWhatOthersWait) {
  run([](PlantedPipeline& planted) {
    auto& source = planted.source("source", microseconds{1000});
    auto& main = planted.stage("main", microseconds{2000});
    auto& sink = planted.sink("sink", microseconds{500});
    auto& watcher = planted.sink("watcher", microseconds{8000});
    planted.graph.connect(source.out, main.in);
    planted.graph.connect(main.out, sink.in);
    planted.graph.connect(source.out, watcher.in, {.items = 2}, {.when_full = WhenFull::kDropNewest});
  });
  expect_bottleneck("main", VerdictKind::kCpuBody);
  if (!IsSkipped()) {
    const auto dropping = std::ranges::find(record.edges, "source.out->watcher.in", &EdgeRecord::name);
    EXPECT_GT(dropping->drops, kItems / 2);
    EXPECT_THAT(verdict.text, Not(AnyOf(HasSubstr("'watcher' allows"), HasSubstr("'watcher' would limit"),
                                        HasSubstr("cause: stage 'watcher'"))));
  }
}

/// source -> join -> loop -> tail -> sink, and from loop back to join.
void plant_loop(PlantedPipeline& planted, int loop_pause, int tail_pause) {
  auto& source = planted.graph.add<NumberSource>("source", kItems);
  auto& join = planted.graph.add<NumberJoin>("join");
  auto& loop = planted.stage("loop", microseconds{loop_pause});
  auto& tail = planted.stage("tail", microseconds{tail_pause});
  auto& sink = planted.graph.add<NumberSink>("sink");
  planted.graph.connect(source.out, join.left);
  planted.graph.connect(join.out, loop.in);
  planted.graph.connect(loop.out, tail.in);
  planted.graph.connect(tail.out, sink.in);
  planted.graph.connect(loop.out, join.right, {}, {.feedback = true, .initial = 1});
}

TEST_F(D27, ASlowStageInALoopIsNamed) {
  run([](PlantedPipeline& planted) { plant_loop(planted, 4000, 1000); });
  expect_bottleneck("loop", VerdictKind::kCpuBody);
}

TEST_F(D27, ASlowStageBehindALoopIsNamed) {
  run([](PlantedPipeline& planted) { plant_loop(planted, 1000, 4000); });
  expect_bottleneck("tail", VerdictKind::kCpuBody);
}

// A queue that is still filling when the run ends: what feeds it is as busy as what it feeds, with work that nobody
// took.
TEST_F(D27, AStageThatWorksAheadIsNotBlamed) {
  run([](PlantedPipeline& planted) {
    planted.options.steps = kItems / 2;
    auto& source = planted.graph.add<NumberSource>("source", 10 * kItems);
    auto& ahead = planted.stage("ahead", microseconds{2500});
    auto& queue = planted.graph.add<NumberQueue>("queue", 10 * kItems, 1);
    Placement slow;
    slow.inject = Inject{.sleep_ms = 4.0};
    auto owned = std::make_unique<StepStage>();
    StepStage& step = planted.note("step", microseconds{4000}, *owned);
    planted.graph.add_stage("step", StepStage::info(), std::move(owned), std::move(slow));
    auto& sink = planted.graph.add<NumberSink>("sink");
    planted.graph.connect(source.out, ahead.in);
    planted.graph.connect(ahead.out, queue.in);
    planted.graph.connect(queue.out, step.in);
    planted.graph.connect(step.metrics, sink.in);
  });
  expect_bottleneck("step", VerdictKind::kCpuBody);
  if (!IsSkipped()) {
    EXPECT_THAT(verdict.text, HasSubstr("that stage 'step' allows"));
  }
}

TEST(D31, WhatIsNotMeasuredIsTheSameRunWithoutTimes) {
  for (const bool measures : {true, false}) {
    Graph graph;
    auto& source = graph.add<NumberSource>("source", 1000);
    auto& packer = graph.add<NumberPacker>("packer", 3);
    auto& sink = graph.add<NumberSink>("sink");
    graph.connect(source.out, packer.in);
    graph.connect(packer.out, sink.in);
    const RunRecord record = Executor{graph, {.instrument = measures}}.run();
    EXPECT_EQ(record.outcome.code, 0) << record.outcome.text;
    EXPECT_EQ(sink.seen.size(), 334U);
    EXPECT_EQ(sink.seen.back(), 999);
    EXPECT_EQ(record.stages.at(1).firings, 1000);
    EXPECT_EQ(record.edges.at(1).items, 334);
    EXPECT_EQ(record.wall_ns > 0, measures);
    EXPECT_EQ(record.stages.at(1).busy_ns > 0, measures);
    for (const SelfCheck& check : self_checks(record)) {
      EXPECT_TRUE(check.ok) << check.name << " is off by " << check.value;
    }
  }
}

}  // namespace
}  // namespace dflash
