// SPDX-License-Identifier: Apache-2.0
// What a run looks like from another thread while it goes on.
#include "framework/runtime/live_look.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <latch>
#include <memory>
#include <thread>

#include <gmock/gmock.h>

#include "framework/runtime/executor.h"
#include "tests/framework/device_stages.h"
#include "tests/framework/test_stages.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::IsEmpty;
using testing::Le;
using testing::SizeIs;

/// source -> hold -> sink; `hold` stays in its fifth firing until it is let go.
class LiveLook : public testing::Test {
 protected:
  LiveLook() {
    graph_.connect(source_.out, hold_.in, {.items = 3});
    graph_.connect(hold_.out, sink_.in);
    hold_.on_fire = [this](std::int64_t value) {
      if (value == kHeld) {
        is_held_.count_down();
        let_go_.wait();
      }
    };
  }

  /// What `look` finds while `hold` is in its fifth firing, `source` has filled the edge before it and `sink` has taken
  /// what came before.
  RunRecord run_and(const std::function<void(const LiveView&)>& look) {
    std::jthread looker{[&] {
      is_held_.wait();
      LiveView view = executor_.live_view();
      while (view.stages[0].waiting_slots == 0 || !view.edges[0].is_full || view.stages[2].waiting_slots == 0 ||
             view.stages[2].firings < kHeld) {
        std::this_thread::yield();
        view = executor_.live_view();
      }
      std::this_thread::sleep_for(std::chrono::microseconds{100});
      look(executor_.live_view());  // a stage may have come to rest while the one before was taken
      let_go_.count_down();
    }};
    return executor_.run();
  }

  static constexpr std::int64_t kHeld = 4;  // numbers begin at 0
  Graph graph_;
  NumberSource& source_ = graph_.add<NumberSource>("source", 20);
  ProbeStage& hold_ = graph_.add<ProbeStage>("hold");
  NumberSink& sink_ = graph_.add<NumberSink>("sink");
  std::latch is_held_{1};
  std::latch let_go_{1};
  Executor executor_{graph_, {}};
};

TEST_F(LiveLook, TellsWhatEachStageDoesAtThisMoment) {
  run_and([this](const LiveView& view) {
    ASSERT_THAT(view.stages, SizeIs(3));
    const LiveStage& hold = view.stages[1];
    EXPECT_EQ(hold.name, "hold");
    EXPECT_EQ(hold.type, "probe");
    EXPECT_EQ(hold.firings, kHeld);
    EXPECT_EQ(hold.firing_slots, 1);
    EXPECT_EQ(hold.waiting_slots, 0);
    EXPECT_GT(hold.longest_ns, 0);
    EXPECT_GE(hold.busy_ns, hold.longest_ns);
    EXPECT_EQ(hold.lacks, Lack::kNothing);
    EXPECT_EQ(view.stages[0].lacks, Lack::kRoom);
    EXPECT_EQ(view.stages[2].lacks, Lack::kInput);
    EXPECT_EQ(view.stages[0].firings, kHeld + 1 + 3);
    EXPECT_EQ(view.stages[2].firings, kHeld);
    EXPECT_EQ(view.stages[2].waiting_slots, 1);
    EXPECT_GT(view.stages[2].waiting_ns, 0);
  });
}

TEST_F(LiveLook, TellsWhatIsOnEachEdge) {
  run_and([](const LiveView& view) {
    ASSERT_THAT(view.edges, SizeIs(2));
    EXPECT_EQ(view.edges[0].name, "source.out->hold.in");
    EXPECT_EQ(view.edges[0].from_stage, 0U);
    EXPECT_EQ(view.edges[0].to_stage, 1U);
    EXPECT_EQ(view.edges[0].capacity_items, 3);
    EXPECT_EQ(view.edges[0].items, kHeld + 1 + 3);
    EXPECT_EQ(view.edges[0].fill, 3);
    EXPECT_EQ(view.edges[1].items, kHeld);
    EXPECT_EQ(view.edges[1].fill, 0);
    EXPECT_FALSE(view.edges[1].is_full);
  });
}

TEST_F(LiveLook, EachNanosecondSoFarIsInOneState) {
  run_and([](const LiveView& view) {
    for (const LiveStage& stage : view.stages) {
      const std::int64_t sum = stage.busy_ns + stage.blocked_ns + stage.starved_ns + stage.gpu_wait_ns +
                               stage.dispatch_ns + stage.waiting_ns;
      EXPECT_EQ(sum, view.wall_ns) << stage.name;  // `now` is one for all of them
    }
  });
}

TEST_F(LiveLook, IsEmptyBeforeTheRunAndAsItWasLastBehindIt) {
  EXPECT_THAT(executor_.live_view().stages, IsEmpty());
  const RunRecord record = run_and([](const LiveView&) {});
  const LiveView last = executor_.live_view();
  ASSERT_THAT(last.stages, SizeIs(3));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(last.stages[i].firings, record.stages[i].firings);
    EXPECT_EQ(last.stages[i].busy_ns, record.stages[i].busy_ns);
    EXPECT_EQ(last.stages[i].starved_ns, record.stages[i].starved_in_ns);
    EXPECT_EQ(last.stages[i].blocked_ns, record.stages[i].blocked_out_ns);
    EXPECT_EQ(last.stages[i].dispatch_ns, record.stages[i].dispatch_ns);
    EXPECT_EQ(last.stages[i].waiting_slots, 0);
  }
  EXPECT_EQ(last.edges[0].items, record.edges[0].items);
}

TEST(LiveLookAtKinds, CountsABuffersContentAndTheStepsDone) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 10);
  auto& queue = graph.add<NumberQueue>("queue", 5, 1);
  auto& step = graph.add<StepStage>("step");
  graph.connect(source.out, queue.in);
  graph.connect(queue.out, step.in, {.items = 1});
  RunOptions options;
  Executor* running = nullptr;
  std::vector<LiveView> views;
  options.between_steps = [&](std::int64_t, Firing&, const SaveCut&) { views.push_back(running->live_view()); };
  Executor executor{graph, options};
  running = &executor;
  (void)executor.run();
  ASSERT_THAT(views, SizeIs(10));
  for (std::size_t i = 0; i < views.size(); ++i) {
    EXPECT_EQ(views[i].steps, static_cast<std::int64_t>(i) + 1);
    ASSERT_THAT(views[i].edges, SizeIs(3));
    const LiveEdge& row = views[i].edges[2];
    EXPECT_EQ(row.name, "queue");
    EXPECT_TRUE(row.is_buffer);
    EXPECT_EQ(row.from_stage, 1U);
    EXPECT_EQ(row.capacity_items, 5);
    EXPECT_THAT(row.fill, AllOf(Ge(0), Le(5)));
    EXPECT_THAT(row.items, AllOf(Ge(static_cast<std::int64_t>(i) + 1), Le(10)));
  }
  EXPECT_EQ(executor.live_view().edges[2].items, 10);
  EXPECT_EQ(executor.live_view().edges[2].fill, 0);
}

TEST(LiveLookAtKinds, AddsUpTheSlotsOfAStage) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 4);
  auto sleepy = std::make_unique<SleepyStage>(std::chrono::microseconds{10});
  auto& stage =
      static_cast<SleepyStage&>(graph.add_stage("wide", SleepyStage::info(), std::move(sleepy), {.replicas = 3}));
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, stage.in);
  graph.connect(stage.out, sink.in);
  Executor executor{graph, {}};
  (void)executor.run();
  EXPECT_EQ(executor.live_view().stages[1].slots, 3);
  EXPECT_EQ(executor.live_view().stages[1].firings, 4);
}

TEST(LiveLookAtKinds, HasEdgesAndStagesOnlyWhereTheRunIsMeasured) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 4);
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, sink.in);
  Executor executor{graph, {.instrument = false}};
  (void)executor.run();
  EXPECT_THAT(executor.live_view().stages, IsEmpty());
}

/// Nothing may go backwards, whoever looks and however often.
TEST(LiveLookAtKinds, CountersNeverFallWhileManyLook) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 20'000);
  auto& probe = graph.add<ProbeStage>("probe");
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, probe.in);
  graph.connect(probe.out, sink.in);
  Executor executor{graph, {}};
  std::atomic<bool> has_ended{false};
  std::atomic<int> falls{0};
  const auto look = [&] {
    LiveView before = executor.live_view();
    while (!has_ended) {
      const LiveView view = executor.live_view();
      for (std::size_t i = 0; i < before.stages.size(); ++i) {
        const LiveStage& was = before.stages[i];
        const LiveStage& is = view.stages[i];
        falls += is.firings < was.firings || is.busy_ns < was.busy_ns || is.starved_ns < was.starved_ns ||
                         is.blocked_ns < was.blocked_ns || is.dispatch_ns < was.dispatch_ns
                     ? 1
                     : 0;
      }
      for (std::size_t i = 0; i < before.edges.size(); ++i) {
        falls += view.edges[i].items < before.edges[i].items ? 1 : 0;
      }
      before = view;
    }
  };
  {
    const std::jthread first{look};
    const std::jthread second{look};
    (void)executor.run();
    has_ended = true;
  }
  EXPECT_EQ(falls, 0);
}

TEST(LiveLookAtKinds, TellsOfTheDevices) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 8);
  auto& work = graph.add<KernelStage>("work", std::chrono::milliseconds{1});
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, work.in);
  graph.connect(work.out, sink.in);
  Executor executor{graph, {.device = "sim:0"}};
  (void)executor.run();
  const LiveView view = executor.live_view();
  ASSERT_THAT(view.devices, SizeIs(1));
  EXPECT_EQ(view.devices[0].name, "sim:0");
  EXPECT_EQ(view.devices[0].firings, 8);
  EXPECT_GT(view.devices[0].busy_ns, 0);
}

}  // namespace
}  // namespace dflash
