// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <numeric>
#include <string>
#include <thread>

#include <gmock/gmock.h>

#include "framework/runtime/executor.h"
#include "tests/framework/test_stages.h"
#include "tests/support/resident_memory.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Gt;
using testing::HasSubstr;
using testing::SizeIs;

#ifdef __SANITIZE_THREAD__
constexpr std::int64_t kMillions = 100'000;
#else
constexpr std::int64_t kMillions = 10'000'000;
#endif

/// Sums numbers, keeping none.
struct NumberSum final : Stage {
  static StageInfo info() { return {.type = "number_sum", .summary = "sums numbers"}; }
  Input<std::int64_t> in{*this, "in", "numbers"};
  void fire(Firing& firing) override {
    sum += firing.take(in);
    if (firing.number() == kMillions / 10) {
      early_pages = resident_pages();
    } else if (firing.number() == kMillions) {
      late_pages = resident_pages();
    }
  }
  std::int64_t sum = 0;
  std::int64_t early_pages = 0;
  std::int64_t late_pages = 0;
};

TEST(D3, MemoryStaysFlatOverTenMillionItems) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", kMillions);
  auto& sum = graph.add<NumberSum>("sum");
  graph.connect(source.out, sum.in, {.items = 8});
  EXPECT_EQ(Executor(graph, {}).run().outcome.code, 0);
  EXPECT_EQ(sum.sum, kMillions * (kMillions - 1) / 2);
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
  EXPECT_LE(static_cast<double>(sum.late_pages), 1.05 * static_cast<double>(sum.early_pages));
#endif
}

TEST(D5, OneOversizeItemPassesAloneUnderTwoBounds) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 10);
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, sink.in, {.items = 2, .bytes = 7});
  const RunRecord record = Executor{graph, {}}.run();
  EXPECT_EQ(record.outcome.code, 0);
  EXPECT_THAT(sink.seen, SizeIs(10));
  EXPECT_EQ(record.edges.at(0).oversize, 10);
}

/// source -> fast, and source -> gate -> slow, where the gate opens after the source has ended.
struct TwoBranches {
  explicit TwoBranches(EdgeRules rules) {
    auto& source = graph.add<NumberSource>("source", 100);
    auto& gate = graph.add<ProbeStage>("gate");
    fast = &graph.add<NumberSink>("fast");
    slow = &graph.add<NumberSink>("slow");
    gate.on_fire = [this](std::int64_t value) {
      // Until the other branch has all, or none of it can come any more.
      for (int i = 0; i < 50 && value == 0 && fast_seen.load() < 100; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
      }
    };
    auto& tally = graph.add_function<std::int64_t, std::int64_t>("tally", [this](std::int64_t value) {
      fast_seen.fetch_add(1);
      return value;
    });
    graph.connect(source.out, tally.in);
    graph.connect(tally.out, fast->in);
    graph.connect(source.out, gate.in, {.items = 2}, rules);
    graph.connect(gate.out, slow->in);
  }
  Graph graph;
  NumberSink* fast = nullptr;
  NumberSink* slow = nullptr;
  std::atomic<int> fast_seen{0};
};

TEST(D7, ABranchThatBlocksLosesNothingAndTheReportNamesTheEdge) {
  TwoBranches branches{{}};
  const RunRecord record = Executor{branches.graph, {}}.run();
  EXPECT_EQ(record.outcome.code, 0) << record.outcome.text;
  EXPECT_THAT(branches.fast->seen, SizeIs(100));
  EXPECT_THAT(branches.slow->seen, SizeIs(100));
  const StageRecord& source = record.stages.at(0);
  std::int64_t longest = 0;
  std::size_t edge = 0;
  for (const EdgeWait& wait : source.blocked_by) {
    if (wait.ns > longest) {
      longest = wait.ns;
      edge = wait.edge;
    }
  }
  EXPECT_EQ(record.edges.at(edge).name, "source.out->gate.in");
}

TEST(D7, ABranchThatDropsLetsTheOthersPassAndCounts) {
  for (const WhenFull rule : {WhenFull::kDropNewest, WhenFull::kDropOldest}) {
    TwoBranches branches{{.when_full = rule}};
    const RunRecord record = Executor{branches.graph, {}}.run();
    EXPECT_EQ(record.outcome.code, 0) << record.outcome.text;
    EXPECT_THAT(branches.fast->seen, SizeIs(100));
    const EdgeRecord& edge = record.edges.at(2);
    EXPECT_GT(edge.drops, 0);
    EXPECT_EQ(edge.items, 100);
    EXPECT_EQ(static_cast<std::int64_t>(branches.slow->seen.size()) + edge.drops, 100);
    EXPECT_TRUE(std::ranges::is_sorted(branches.slow->seen));
    EXPECT_EQ(branches.slow->seen.back() == 99, rule == WhenFull::kDropOldest);
  }
}

TEST(D7, ABranchThatMustNotOverflowEndsTheRunByName) {
  TwoBranches branches{{.when_full = WhenFull::kFail}};
  const RunRecord record = Executor{branches.graph, {}}.run();
  EXPECT_EQ(record.outcome.code, 1);
  EXPECT_THAT(record.outcome.text,
              AllOf(HasSubstr("stage 'source'"), HasSubstr("edge 'source.out->gate.in' is full (capacity 2 items)")));
}

TEST(D15, AnEdgeThatBlocksDropsNothingWhileItsConsumerPauses) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 1000);
  auto& probe = graph.add<ProbeStage>("pausing");
  auto& sink = graph.add<NumberSink>("sink");
  probe.on_fire = [](std::int64_t value) {
    if (value == 10) {
      std::this_thread::sleep_for(std::chrono::milliseconds{200});
    }
  };
  graph.connect(source.out, probe.in, {.items = 3});
  graph.connect(probe.out, sink.in);
  const RunRecord record = Executor{graph, {}}.run();
  std::vector<std::int64_t> all(1000);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sink.seen, all);
  EXPECT_EQ(record.edges.at(0).drops, 0);
  EXPECT_LE(record.edges.at(0).max_fill, 3);
}

/// Adds what it gave last to each number, over a feedback edge.
struct RunningSum {
  explicit RunningSum(std::int64_t numbers, Capacity capacity = {.items = 1}) {
    auto& source = graph.add<NumberSource>("source", numbers);
    auto& join = graph.add<NumberJoin>("join");
    auto& tee = graph.add_function<std::int64_t, std::int64_t>("tee", [](std::int64_t value) { return value; });
    sink = &graph.add<NumberSink>("sink");
    graph.connect(source.out, join.left);
    graph.connect(join.out, tee.in);
    graph.connect(tee.out, sink->in);
    graph.connect(tee.out, join.right, capacity, {.feedback = true, .initial = 1});
  }
  Graph graph;
  NumberSink* sink = nullptr;
};

TEST(D1, ACycleWithAnInitialItemRunsToTheEndOfItsSource) {
  RunningSum sum{5};
  const RunRecord record = Executor{sum.graph, {}}.run();
  EXPECT_EQ(record.outcome.code, 0) << record.outcome.text;
  EXPECT_THAT(sum.sink->seen, ElementsAre(0, 1, 3, 6, 10));
  RunningSum longer{20'000, {.items = 7}};
  EXPECT_EQ(Executor(longer.graph, {}).run().outcome.code, 0);
  EXPECT_EQ(longer.sink->seen.back(), 20'000LL * 19'999 / 2);
}

TEST(D1, ACycleThatRunsDryEndsWithItsCircleOfWaiting) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 100);
  auto& join = graph.add<NumberJoin>("join");
  auto& packer = graph.add<NumberPacker>("packer", 2);  // gives less than it takes, which no check can know
  graph.connect(source.out, join.left);
  graph.connect(join.out, packer.in);
  graph.connect(packer.out, join.right, {.items = 1}, {.feedback = true, .initial = 1});
  const RunRecord record = Executor{graph, {}}.run();
  EXPECT_EQ(record.outcome.code, 3);
  EXPECT_THAT(record.outcome.text,
              AllOf(HasSubstr("deadlock: the stages wait for each other"),
                    HasSubstr("'join' waits for an item on edge 'packer.out->join.right' -> 'packer' waits for an item "
                              "on edge 'join.out->packer.in' -> 'join'")));
}

TEST(D19, AConsumerThatGetsLittleIsReportedStarvedOnItsEdgeAndStillEnds) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 40);
  auto& pause = graph.add<SleepyStage>("pause", std::chrono::microseconds{500});
  auto& rarely = graph.add<NumberPacker>("rarely", 20);
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, pause.in);
  graph.connect(pause.out, rarely.in);
  graph.connect(rarely.out, sink.in);
  const RunRecord record = Executor{graph, {}}.run();
  EXPECT_EQ(record.outcome.code, 0);
  EXPECT_THAT(sink.seen, SizeIs(2));
  const StageRecord& starved = record.stages.at(3);
  EXPECT_GT(starved.starved_in_ns, record.wall_ns / 2);
  EXPECT_EQ(record.edges.at(starved.starved_by.at(0).edge).name, "rarely.out->sink.in");
}

TEST(D17, TheLastPartialBatchLeavesAtTheEndOfTheStream) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 64 * 3 + 5);
  auto& packer = graph.add<NumberPacker>("packer", 64);
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, packer.in);
  graph.connect(packer.out, sink.in);
  EXPECT_EQ(Executor(graph, {}).run().outcome.code, 0);
  EXPECT_THAT(sink.seen, AllOf(SizeIs(4), Each(Gt(0))));
}

}  // namespace
}  // namespace dflash
