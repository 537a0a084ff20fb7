// SPDX-License-Identifier: Apache-2.0
// D27: pipelines of which it is known what limits them, run by the executor: the verdict must name that, and the record
// must agree with itself.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "framework/report/self_checks.h"
#include "framework/report/verdict.h"
#include "framework/runtime/executor.h"
#include "tests/framework/device_stages.h"
#include "tests/framework/planted_pipeline.h"

namespace dflash {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

class D27 : public testing::Test {
 protected:
  /// Tries again while the machine disturbs the pipeline, and skips the test where it always does.
  void run(const std::function<void(PlantedPipeline&)>& plant) {
    for (int attempt = 0; attempt < 5; ++attempt) {
      PlantedPipeline planted;
      plant(planted);
      record = Executor{planted.graph, planted.options}.run();
      ASSERT_EQ(record.outcome.code, 0) << record.outcome.text;
      expect_sound_record();
      if (planted.ran_as_planted(record)) {
        verdict = judge(record);
        note_in_test_report();
        return;
      }
    }
    GTEST_SKIP() << "the machine is too busy for bodies that sleep";
  }
  /// source s0 -> s1 -> s2 -> sink s3: the pipelines of the accounting's validation.
  void run_chain(const std::vector<int>& pauses, std::int64_t capacity = 4) {
    run([&](PlantedPipeline& planted) {
      auto& s0 = planted.source("s0", microseconds{pauses[0]});
      auto& s1 = planted.stage("s1", microseconds{pauses[1]});
      auto& s2 = planted.stage("s2", microseconds{pauses[2]});
      auto& s3 = planted.sink("s3", microseconds{pauses[3]});
      planted.graph.connect(s0.out, s1.in, {.items = capacity});
      planted.graph.connect(s1.out, s2.in, {.items = capacity});
      planted.graph.connect(s2.out, s3.in, {.items = capacity});
    });
  }
  void expect_bottleneck(const std::string& stage, const std::string& kind) const {
    if (!IsSkipped()) {
      EXPECT_EQ(verdict.stage, stage) << verdict.text;
      EXPECT_EQ(verdict.kind, kind) << verdict.text;
    }
  }
  /// For who wants the table: --gtest_output=json.
  void note_in_test_report() const {
    double residue = 0.0;
    for (const StageRecord& stage : record.stages) {
      residue = std::max(residue, std::abs(static_cast<double>(stage.unaccounted_ns)) /
                                      static_cast<double>(stage.slots * record.wall_ns));
    }
    RecordProperty("verdict", verdict.text);
    RecordProperty("residue_of_states", fmt::format("{:.5f}", residue));
    RecordProperty("laws_that_hold", static_cast<int>(std::ranges::count_if(self_checks(record), &SelfCheck::ok)));
    RecordProperty("laws", static_cast<int>(self_checks(record).size()));
  }
  /// However busy the machine.
  void expect_sound_record() const {
    for (const SelfCheck& check : self_checks(record)) {
      EXPECT_TRUE(check.ok) << check.name << " is off by " << check.value << ", allowed " << check.limit;
    }
  }

  RunRecord record;
  Verdict verdict;
};

TEST_F(D27, ASlowStageInTheMiddleIsNamed) {
  run_chain({1000, 1200, 4000, 1400});
  expect_bottleneck("s2", "cpu body");
}

TEST_F(D27, ASlowSourceIsNamed) {
  run_chain({4000, 1200, 1000, 1400});
  expect_bottleneck("s0", "source");
}

TEST_F(D27, ASlowSinkIsNamed) {
  run_chain({1000, 1200, 1400, 4000});
  expect_bottleneck("s3", "cpu body");
}

TEST_F(D27, EqualStagesAreBalanced) {
  run_chain({2000, 2000, 2000, 2000}, 1);
  if (!IsSkipped()) {
    EXPECT_EQ(verdict.kind, "balanced") << verdict.text;
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
    EXPECT_EQ(verdict.kind, "balanced") << verdict.text;
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
  expect_bottleneck("s2", "cpu body");
  if (!IsSkipped()) {
    EXPECT_THAT(verdict.text, HasSubstr("of the only worker of lane 'lane of s0', which 4 stages share"));
  }
}

TEST_F(D27, AStageThatHoldsTheOnlyWorkerOfTheRunIsNamed) {
  run([](PlantedPipeline& planted) { plant_on_one_worker(planted, false); });
  expect_bottleneck("s2", "cpu body");
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
  expect_bottleneck("sink", "cpu body");
}

TEST_F(D27, AStageThatIsTooSlowInSpiteOfItsReplicasIs) {
  run([](PlantedPipeline& planted) { plant_replicas(planted, 1000, 9000, 1000); });
  expect_bottleneck("three", "cpu body");
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
  expect_bottleneck("main", "cpu body");
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
  expect_bottleneck("loop", "cpu body");
}

TEST_F(D27, ASlowStageBehindALoopIsNamed) {
  run([](PlantedPipeline& planted) { plant_loop(planted, 1000, 4000); });
  expect_bottleneck("tail", "cpu body");
}

/// source -> first -> second -> host on a simulated device; the body of `first` sleeps for `launch`.
void plant_on_device(PlantedPipeline& planted, microseconds launch, microseconds kernel) {
  planted.options.device = "sim:0";
  planted.may_wait_for_workers = true;  // the device's one thread
  auto& source = planted.graph.add<NumberSource>("source", kItems);
  auto& first = planted.note("first", launch, planted.graph.add<KernelStage>("first", kernel));
  auto& second = planted.graph.add<KernelStage>("second", microseconds{300});
  auto& host = planted.graph.add<HostStage>("host");
  first.on_fire = [launch] { std::this_thread::sleep_for(launch); };
  planted.graph.connect(source.out, first.in);
  planted.graph.connect(first.out, second.in);
  planted.graph.connect(second.out, host.in);
}

TEST_F(D27, ASlowKernelIsTheDevices) {
  run([](PlantedPipeline& planted) { plant_on_device(planted, microseconds{0}, milliseconds{4}); });
  expect_bottleneck("first", "gpu span");
}

TEST_F(D27, ASlowLaunchIsTheHosts) {
  run([](PlantedPipeline& planted) { plant_on_device(planted, milliseconds{4}, microseconds{500}); });
  expect_bottleneck("first", "launch");
}

// What a GPU does to a body that launches more kernels than its queue takes: it waits in the launch.
TEST_F(D27, AKernelThatMakesTheNextBodyWaitInItsLaunchIsTheDevices) {
  run([](PlantedPipeline& planted) {
    planted.options.device = "sim:0";
    planted.may_wait_for_workers = true;
    auto& source = planted.graph.add<NumberSource>("source", kItems);
    auto& first = planted.note("first", microseconds{0}, planted.graph.add<KernelStage>("first", milliseconds{4}));
    auto& second =
        planted.note("second", microseconds{4800}, planted.graph.add<KernelStage>("second", microseconds{800}));
    second.synchronizes = true;
    auto& host = planted.graph.add<HostStage>("host");
    planted.graph.connect(source.out, first.in);
    planted.graph.connect(first.out, second.in);
    planted.graph.connect(second.out, host.in);
  });
  expect_bottleneck("first", "gpu span");
}

TEST_F(D27, AKernelThatMakesItsOwnBodyWaitIsTheDevices) {
  run([](PlantedPipeline& planted) {
    planted.options.device = "sim:0";
    planted.may_wait_for_workers = true;
    auto& source = planted.graph.add<NumberSource>("source", kItems);
    auto& slow = planted.note("slow", milliseconds{4}, planted.graph.add<KernelStage>("slow", milliseconds{4}));
    slow.synchronizes = true;
    auto& host = planted.graph.add<HostStage>("host");
    planted.graph.connect(source.out, slow.in);
    planted.graph.connect(slow.out, host.in);
  });
  expect_bottleneck("slow", "gpu span");
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
