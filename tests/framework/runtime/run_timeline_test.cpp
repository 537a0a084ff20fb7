// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/run_timeline.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "framework/runtime/executor.h"
#include "tests/framework/device_stages.h"
#include "tests/framework/test_stages.h"

namespace dflash {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::Field;

const StageTimeline& stage_of(const Timeline& timeline, std::string_view name) {
  return *std::ranges::find(timeline.stages, name, &StageTimeline::name);
}

std::vector<std::int64_t> firing_numbers(const StageTimeline& stage) {
  std::vector<std::int64_t> numbers;
  for (const FiringEvent& firing : stage.firings) {
    numbers.push_back(firing.number);
  }
  return numbers;
}

template <class Events>
auto find_firing(const Events& events, std::int64_t number) {
  return std::ranges::find(events, number, [](const auto& event) { return event.number; });
}

/// Every item left its producer's firing at its end or later, and was taken as its consumer's firing began or before.
void expect_items_between_firings(const Timeline& timeline) {
  for (const EdgeTimeline& edge : timeline.edges) {
    for (const ItemEvent& item : edge.items) {
      const auto& from = timeline.stages[edge.from_stage].firings;
      const auto& to = timeline.stages[edge.to_stage].firings;
      const auto producer = find_firing(from, item.from_firing);
      ASSERT_NE(producer, from.end()) << edge.name;
      EXPECT_GE(item.pushed, producer->begin) << edge.name;
      EXPECT_LE(item.pushed, item.popped) << edge.name;
      if (item.to_firing > 0) {
        const auto consumer = find_firing(to, item.to_firing);
        ASSERT_NE(consumer, to.end()) << edge.name;
        EXPECT_LE(item.popped, consumer->begin) << edge.name;
      }
    }
  }
}

void expect_ordered(const Timeline& timeline) {
  for (const StageTimeline& stage : timeline.stages) {
    std::map<std::int64_t, std::int64_t> free_since;
    for (const FiringEvent& firing : stage.firings) {
      EXPECT_LE(free_since[firing.slot], firing.free) << stage.name;
      EXPECT_LE(firing.free, firing.ready) << stage.name;
      EXPECT_LE(firing.ready, firing.begin) << stage.name;
      EXPECT_LE(firing.begin, firing.end) << stage.name;
      EXPECT_LE(firing.end, timeline.wall_ns) << stage.name;
      free_since[firing.slot] = firing.end;
    }
  }
}

TEST(RunTimeline, TellsEveryFiringAndItemOfAShortRun) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 5);
  auto& slow = graph.add<SleepyStage>("slow", milliseconds{1});
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, slow.in, {.items = 2});
  graph.connect(slow.out, sink.in);
  const Timeline timeline = Executor{graph, {}}.run().timeline;
  expect_ordered(timeline);
  expect_items_between_firings(timeline);
  EXPECT_THAT(firing_numbers(stage_of(timeline, "slow")), ElementsAre(1, 2, 3, 4, 5, 0));
  EXPECT_EQ(stage_of(timeline, "slow").lane, "cpu");
  EXPECT_THAT(timeline.edges[0].items, testing::SizeIs(5));
  EXPECT_EQ(timeline.edges[0].capacity_items, 2);
  EXPECT_GT(timeline.wall_ns, 5'000'000);
}

TEST(RunTimeline, TellsWhichSlotFired) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 12);
  auto& twice = dynamic_cast<SleepyStage&>(
      graph.add_stage("twice", SleepyStage::info(), std::make_unique<SleepyStage>(milliseconds{2}), {.replicas = 2}));
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, twice.in);
  graph.connect(twice.out, sink.in);
  const Timeline timeline = Executor{graph, {}}.run().timeline;
  expect_ordered(timeline);
  expect_items_between_firings(timeline);
  std::map<std::int64_t, std::int64_t> by_slot;
  for (const FiringEvent& firing : stage_of(timeline, "twice").firings) {
    by_slot[firing.slot] += firing.number > 0 ? 1 : 0;
  }
  EXPECT_EQ(by_slot.size(), 2U);
  EXPECT_EQ(by_slot[0] + by_slot[1], 12);
}

/// Names as many spans as a stage may.
struct NamingStepStage final : Stage {
  static StageInfo info() { return {.type = "step", .summary = "names its spans", .drives_steps = true}; }
  Input<std::int64_t> in{*this, "in", "numbers"};
  void fire(Firing& firing) override {
    (void)firing.take(in);
    for (int i = 0; i < 16; ++i) {
      const Span part{firing, fmt::format("part {}", i)};
    }
    firing.complete_step(firing.number());
  }
};

TEST(RunTimeline, FindsRoomForItsOwnSpanBesideAllOfAStages) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 3);
  auto& step = graph.add<NamingStepStage>("step");
  graph.connect(source.out, step.in);
  RunOptions options;
  options.settles_at = [](std::int64_t) { return true; };
  options.between_steps = [](std::int64_t, Firing&, const SaveCut&) {};
  const RunRecord record = Executor{graph, std::move(options)}.run();
  EXPECT_EQ(record.outcome.code, 0) << record.outcome.text;
  EXPECT_EQ(stage_of(record.timeline, "step").span_names.size(), 17U);
}

// 16 parts a firing: their log is full long before that of the firings.
TEST(RunTimeline, SaysSinceWhenItIsWholeWhereALogIsFull) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 2'100);
  auto& step = graph.add<NamingStepStage>("step");
  graph.connect(source.out, step.in);
  const Timeline timeline = Executor{graph, {}}.run().timeline;
  const StageTimeline& stage = stage_of(timeline, "step");
  EXPECT_EQ(stage.firings.size(), 2'101U);
  EXPECT_EQ(stage.lost, 16 * 2'100 - (1 << 15));
  EXPECT_EQ(stage.whole_since, stage.spans.front().end);
  EXPECT_EQ(stage_of(timeline, "source").whole_since, 0);
}

TEST(RunTimeline, TellsStepsAndWhatWasDoneBetweenThem) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 9);
  auto& step = graph.add<StepStage>("step", 3);
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, step.in);
  graph.connect(step.metrics, sink.in);
  RunOptions options;
  options.steps = 3;
  options.settles_at = [](std::int64_t number) { return number == 2; };
  options.between_steps = [](std::int64_t number, Firing&, const SaveCut&) {
    std::this_thread::sleep_for(number == 2 ? milliseconds{3} : milliseconds{0});
  };
  const RunRecord record = Executor{graph, std::move(options)}.run();
  const Timeline& timeline = record.timeline;
  EXPECT_THAT(timeline.steps,
              ElementsAre(Field(&StepEvent::step, 1), Field(&StepEvent::step, 2), Field(&StepEvent::step, 3)));
  const StageTimeline& stage = stage_of(timeline, "step");
  EXPECT_TRUE(stage.makes_steps);
  EXPECT_THAT(stage.span_names, ElementsAre("between steps"));
  ASSERT_EQ(stage.spans.size(), 1U);
  const SpanEvent& between = stage.spans.front();
  EXPECT_EQ(between.number, 6);
  EXPECT_GE(between.end - between.begin, 3'000'000);
  const auto firing = find_firing(stage.firings, 6);
  EXPECT_LE(firing->begin, firing->body_end());
  EXPECT_LE(firing->body_end(), between.begin);
  EXPECT_EQ(firing->end, between.end);
  EXPECT_EQ(find_firing(stage.firings, 5)->between, 0);
}

TEST(RunTimeline, WhatIsLeftInsideInTheEndIsGivenUpThen) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 50);
  auto& queue = graph.add<NumberQueue>("queue", 4, 2);
  auto& step = graph.add<StepStage>("step", 1);
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, queue.in, {.items = 2});
  graph.connect(queue.out, step.in, {.items = 2});
  graph.connect(step.metrics, sink.in);
  RunOptions options;
  options.steps = 3;
  const RunRecord record = Executor{graph, std::move(options)}.run();
  const Timeline& timeline = record.timeline;
  std::int64_t given_up = 0;
  for (const ItemEvent& item : timeline.buffers.at(0).items) {
    given_up += item.to_firing == 0 ? 1 : 0;
    EXPECT_LE(item.pushed, item.popped);
    EXPECT_TRUE(item.to_firing > 0 || item.popped == timeline.wall_ns);
  }
  const auto row = std::ranges::find_if(record.edges, &EdgeRecord::is_buffer);
  EXPECT_EQ(given_up, row->abandoned);
}

TEST(RunTimeline, TellsWhatABufferHeld) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 6);
  auto& queue = graph.add<NumberQueue>("queue", 4, 2);
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, queue.in);
  graph.connect(queue.out, sink.in);
  const Timeline timeline = Executor{graph, {}}.run().timeline;
  expect_items_between_firings(timeline);
  ASSERT_EQ(timeline.buffers.size(), 1U);
  const BufferTimeline& buffer = timeline.buffers.front();
  EXPECT_EQ(timeline.stages[buffer.stage].name, "queue");
  EXPECT_EQ(buffer.capacity_items, 4);
  EXPECT_EQ(buffer.min_ready, 2);
  ASSERT_EQ(buffer.items.size(), 6U);
  EXPECT_LT(buffer.items[0].from_firing, buffer.items[0].to_firing);
  EXPECT_LE(buffer.items[0].pushed, buffer.items[0].popped);
}

struct SpannedKernel final : Transform<std::int64_t, std::int64_t> {
  SpannedKernel() : Transform{"in", "", "out", ""} {}
  static StageInfo info() { return {.type = "spanned_kernel", .summary = "has spans", .uses_device = true}; }
  std::int64_t transform(std::int64_t value, Firing& firing) override {
    {
      const Span forward{firing, "forward"};
      SimStream::current().launch(milliseconds{2});
    }
    const Span backward{firing, "backward"};
    SimStream::current().launch(milliseconds{1});
    return value;
  }
};

TEST(RunTimeline, TellsWhenTheDeviceDidTheNamedPartsOfAFiring) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 4);
  auto& kernel = graph.add<SpannedKernel>("kernel");
  auto& host = graph.add<HostStage>("host");
  graph.connect(source.out, kernel.in);
  graph.connect(kernel.out, host.in);
  RunOptions options;
  options.device = "sim:0";
  const RunRecord record = Executor{graph, std::move(options)}.run();
  const StageTimeline& stage = stage_of(record.timeline, "kernel");
  EXPECT_EQ(stage.device, "sim:0");
  EXPECT_THAT(stage.span_names, ElementsAre("forward", "backward"));
  ASSERT_EQ(stage.device_spans.size(), 8U);
  for (const SpanEvent& span : stage.device_spans) {
    const auto work = find_firing(stage.device_firings, span.number);
    ASSERT_NE(work, stage.device_firings.end());
    EXPECT_LE(work->begin, span.begin);
    EXPECT_GE(work->end, span.end);
    EXPECT_GE(work->seen, work->end);
    EXPECT_LE(work->seen, record.wall_ns);
    EXPECT_GE(span.end - span.begin, span.name == 0 ? 2'000'000 : 1'000'000);
  }
  const StageRecord& sums = *std::ranges::find(record.stages, "kernel", &StageRecord::name);
  EXPECT_GE(sums.spans[0].device_ns, 8'000'000);
  EXPECT_LT(sums.spans[0].ns, sums.spans[0].device_ns);
  ASSERT_EQ(record.timeline.devices.size(), 1U);
}

TEST(RunTimeline, IsEmptyWhereNothingIsMeasured) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 5);
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, sink.in);
  RunOptions options;
  options.instrument = false;
  EXPECT_TRUE(Executor(graph, std::move(options)).run().timeline.stages.empty());
}

/// Works in its drain only, as a stage does that gives its result at the end.
struct Collector final : Stage {
  static StageInfo info() { return {.type = "collector", .summary = "works in its drain"}; }
  Input<std::int64_t> in{*this, "in", "numbers"};
  void fire(Firing& firing) override { (void)firing.take(in); }
  void drain(Firing&) override { std::this_thread::sleep_for(milliseconds{20}); }
};

TEST(RunTimeline, TellsTheDrainApartFromTheFirings) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 3);
  auto& collector = graph.add<Collector>("collector");
  graph.connect(source.out, collector.in);
  const RunRecord record = Executor{graph, {}}.run();
  const StageRecord& sums = *std::ranges::find(record.stages, "collector", &StageRecord::name);
  EXPECT_GE(sums.drain_ns, 20'000'000);
  EXPECT_EQ(sums.busy_ns, sums.drain_ns + sums.service.sum());
  EXPECT_EQ(firing_numbers(stage_of(record.timeline, "collector")).back(), 0);
}

}  // namespace
}  // namespace dflash
