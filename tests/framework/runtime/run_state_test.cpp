// SPDX-License-Identifier: Apache-2.0
// What is due between steps waits until all that the step has emitted is worked off.
#include "framework/runtime/run_state.h"

#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "framework/runtime/executor.h"
#include "tests/framework/test_stages.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(RunState, WhatIsDueAtAStepFindsAllBehindItWorkedOff) {
  for (const bool shares_lane : {false, true}) {
    Graph graph;
    auto& source = graph.add<NumberSource>("source", 1'000'000);
    auto& step = graph.add<StepStage>("step");
    auto& report = graph.add<ProbeStage>("report");
    auto& lines = graph.add<NumberSink>("lines");
    report.shares_lane = shares_lane;
    graph.connect(source.out, step.in);
    graph.connect(step.metrics, report.in, {.items = 100});
    graph.connect(report.out, lines.in, {.items = 100});
    RunOptions options;
    options.steps = 50;
    options.settles_at = [](std::int64_t at) { return at % 5 == 0; };
    std::vector<std::size_t> lines_at;
    options.between_steps = [&](std::int64_t at, Firing&, const SaveCut&) {
      if (at % 5 == 0) {
        lines_at.push_back(lines.seen.size());
      }
    };
    const RunRecord record = Executor{graph, options}.run();
    EXPECT_EQ(record.outcome.code, 0) << record.outcome.text;
    EXPECT_THAT(lines_at, ElementsAre(5, 10, 15, 20, 25, 30, 35, 40, 45, 50));
    EXPECT_EQ(record.stages.at(1).firings, 50);
    EXPECT_EQ(record.stages.at(1).service.count(), 50);
  }
}

TEST(RunState, DoesNotWaitForWhatCanNeverBeWorkedOff) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 1'000'000);
  auto& step = graph.add<StepStage>("step");
  auto& few = graph.add<NumberSource>("few", 2);
  auto& join = graph.add<NumberJoin>("join");
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, step.in);
  graph.connect(step.metrics, join.left);
  graph.connect(few.out, join.right);
  graph.connect(join.out, sink.in);
  RunOptions options;
  options.steps = 20;
  options.settles_at = [](std::int64_t) { return true; };
  std::int64_t last = 0;
  options.between_steps = [&](std::int64_t at, Firing&, const SaveCut&) { last = at; };
  const RunRecord record = Executor{graph, options}.run();
  EXPECT_EQ(record.outcome.code, 0) << record.outcome.text;
  EXPECT_EQ(last, 20);
  EXPECT_THAT(sink.seen, testing::SizeIs(2));
}

TEST(RunState, AnErrorWhereTheRunHasSettledIsToldLikeAnyOther) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 1'000'000);
  auto& step = graph.add<StepStage>("step");
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, step.in);
  graph.connect(step.metrics, sink.in);
  RunOptions options;
  options.settles_at = [](std::int64_t) { return true; };
  options.between_steps = [](std::int64_t, Firing&, const SaveCut&) { throw UserError("disk full"); };
  const RunRecord record = Executor{graph, options}.run();
  EXPECT_EQ(record.outcome.code, 2);
  EXPECT_THAT(record.outcome.text, AllOf(HasSubstr("stage 'step', firing 1"), HasSubstr("disk full")));
}

}  // namespace
}  // namespace dflash
