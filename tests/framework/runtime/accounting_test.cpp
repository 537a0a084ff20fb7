// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include <gmock/gmock.h>

#include "framework/runtime/executor.h"
#include "tests/framework/test_stages.h"

namespace dflash {
namespace {

using std::chrono::microseconds;

using Pauses = std::array<int, 4>;  // microseconds

/// source -> s0 -> s1 -> s2 -> s3 -> sink with bodies that sleep: the pipelines of the accounting's validation.
RunRecord run_once(const Pauses& pauses, std::int64_t items, std::int64_t capacity, bool one_worker) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", items);
  const Output<std::int64_t>* feed = &source.out;
  for (std::size_t i = 0; i < pauses.size(); ++i) {
    auto& stage = graph.add<SleepyStage>(fmt::format("s{}", i), microseconds{pauses[i]}, one_worker && i > 0);
    graph.connect(*feed, stage.in, {.items = capacity});
    feed = &stage.out;
  }
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(*feed, sink.in, {.items = capacity});
  return Executor{graph, {}}.run();
}

/// False where the machine was so busy that bodies slept much longer than planted, or ready stages found no processor:
/// then the run is not the pipeline that a test planted.
bool ran_as_planted(const RunRecord& record, const Pauses& pauses) {
  for (std::size_t i = 0; i < pauses.size(); ++i) {
    const StageRecord& stage = record.stages[i + 1];
    const double planted = 1000.0 * pauses[i];
    if (stage.service.mean() > 1.15 * planted + 100'000.0 ||
        static_cast<double>(stage.service.quantile(0.9)) > 1.3 * planted + 200'000.0 ||
        stage.dispatch_ns > record.wall_ns / 6) {
      return false;
    }
  }
  return true;
}

/// Tries again while the machine disturbs the pipeline; nothing where it never runs undisturbed.
std::optional<RunRecord> run_planted(const Pauses& pauses, std::int64_t items, std::int64_t capacity = 4) {
  for (int attempt = 0; attempt < 5; ++attempt) {
    RunRecord record = run_once(pauses, items, capacity, false);
    if (ran_as_planted(record, pauses)) {
      return record;
    }
  }
  return std::nullopt;
}

std::int64_t accounted(const StageRecord& stage) {
  return stage.busy_ns + stage.blocked_out_ns + stage.starved_in_ns + stage.gpu_wait_ns + stage.dispatch_ns +
         stage.ended_ns;
}

std::int64_t sum_of(const std::vector<EdgeWait>& waits) {
  return std::accumulate(waits.begin(), waits.end(), std::int64_t{0},
                         [](std::int64_t sum, const EdgeWait& wait) { return sum + wait.ns; });
}

void expect_whole(const RunRecord& record) {
  EXPECT_EQ(record.outcome.code, 0) << record.outcome.text;
  for (const StageRecord& stage : record.stages) {
    EXPECT_LE(std::abs(record.wall_ns - accounted(stage)), record.wall_ns / 100) << stage.name;
    EXPECT_EQ(stage.unaccounted_ns, record.wall_ns - accounted(stage)) << stage.name;
    EXPECT_EQ(sum_of(stage.starved_by), stage.starved_in_ns) << stage.name;
    EXPECT_EQ(sum_of(stage.blocked_by), stage.blocked_out_ns) << stage.name;
    EXPECT_EQ(stage.service.count(), stage.firings) << stage.name;
    EXPECT_EQ(stage.service.sum() <= stage.busy_ns, true) << stage.name;
  }
}

/// Little's law: what the fill's integral says, throughput times residence says too.
void expect_littles_law(const RunRecord& record) {
  for (const EdgeRecord& edge : record.edges) {
    const double from_residence = static_cast<double>(edge.residence.sum()) / static_cast<double>(record.wall_ns);
    EXPECT_NEAR(edge.mean_fill, from_residence, 0.05 * edge.mean_fill + 0.01) << edge.name;
  }
}

/// The planted stage is busiest, what feeds it is blocked, what it feeds is starved.
void expect_verdict(const RunRecord& record, std::size_t planted) {
  for (std::size_t i = 0; i < record.stages.size(); ++i) {
    const StageRecord& stage = record.stages[i];
    if (i == planted) {
      EXPECT_GT(stage.busy_ns, record.wall_ns * 6 / 10) << stage.name;
      continue;
    }
    EXPECT_LT(stage.busy_ns, record.stages[planted].busy_ns) << stage.name;
    if (i < planted) {
      EXPECT_GT(stage.blocked_out_ns, stage.starved_in_ns) << stage.name;
    } else {
      EXPECT_GT(stage.starved_in_ns, stage.blocked_out_ns) << stage.name;
    }
  }
}

class PlantedPipeline : public testing::Test {
 protected:
  /// Skips the test where the machine is too busy to show anything.
  void run(const Pauses& pauses, std::int64_t capacity = 4) {
    std::optional<RunRecord> found = run_planted(pauses, 100, capacity);
    if (!found) {
      GTEST_SKIP() << "the machine is too busy for bodies that sleep";
    }
    record = std::move(*found);
    expect_whole(record);
    expect_littles_law(record);
  }
  RunRecord record;
};

TEST_F(PlantedPipeline, ShowsASlowStageInTheMiddle) {
  run({1000, 1200, 4000, 1400});
  if (!IsSkipped()) {
    expect_verdict(record, 3);
    EXPECT_GT(record.edges.at(2).mean_fill, 2.5);
    EXPECT_LT(record.edges.at(3).mean_fill, 0.5);
  }
}

TEST_F(PlantedPipeline, ShowsASlowFirstStage) {
  run({4000, 1200, 1000, 1400});
  if (!IsSkipped()) {
    expect_verdict(record, 1);
  }
}

TEST_F(PlantedPipeline, ShowsASlowLastStage) {
  run({1000, 1200, 1400, 4000});
  if (!IsSkipped()) {
    expect_verdict(record, 4);
  }
}

TEST_F(PlantedPipeline, ShowsBalancedStagesAllBusy) {
  run({2000, 2000, 2000, 2000}, 1);
  if (!IsSkipped()) {
    for (std::size_t i = 1; i <= 4; ++i) {
      EXPECT_GT(record.stages[i].busy_ns, record.wall_ns / 2) << record.stages[i].name;
    }
  }
}

TEST_F(PlantedPipeline, ShowsAShortageOfWorkersAsDispatch) {
  run({1000, 1200, 4000, 1400});
  if (IsSkipped()) {
    return;
  }
  const RunRecord one = run_once({1000, 1200, 4000, 1400}, 50, 4, true);
  expect_whole(one);
  const auto dispatch_of = [](const RunRecord& measured) {
    double share = 0.0;
    for (std::size_t i = 1; i <= 4; ++i) {
      share += static_cast<double>(measured.stages[i].dispatch_ns) / static_cast<double>(measured.wall_ns);
    }
    return share;
  };
  EXPECT_GT(dispatch_of(one), dispatch_of(record) + 0.3);
  EXPECT_EQ(one.lanes.back().workers, 1);
}

TEST(Accounting, BooksTheTailOfAStageAsEnded) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 4);
  auto& slow = graph.add<SleepyStage>("slow", microseconds{4000});
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, slow.in);
  graph.connect(slow.out, sink.in);
  const RunRecord record = Executor{graph, {}}.run();
  expect_whole(record);
  // The source ends early; its tail is the others' work.
  EXPECT_GT(record.stages.at(0).ended_ns, 0);
  EXPECT_GE(record.stages.at(0).ended_ns, record.stages.at(2).ended_ns);
}

TEST(Accounting, BooksSlotsThatFindNothingToDoAsStarved) {
  Graph graph;
  Placement eight;
  eight.replicas = 8;
  auto& source = graph.add<NumberSource>("source", 30);
  auto& slow = graph.add<SleepyStage>("slow", microseconds{3000});
  auto owned = std::make_unique<SleepyStage>(microseconds{100});
  SleepyStage& many = *owned;
  graph.add_stage("many", SleepyStage::info(), std::move(owned), std::move(eight));
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, slow.in);
  graph.connect(slow.out, many.in);
  graph.connect(many.out, sink.in);
  const RunRecord record = Executor{graph, {}}.run();
  const StageRecord& stage = record.stages.at(2);
  EXPECT_GT(stage.starved_in_ns, stage.dispatch_ns) << "six slots or more are idle all along";
  EXPECT_LT(std::abs(stage.unaccounted_ns), record.wall_ns / 100);
}

TEST(Accounting, CountsNestedSpansAndNamedCounters) {
  Graph graph;
  struct Spanned final : Transform<std::int64_t, std::int64_t> {
    Spanned() : Transform{"in", "", "out", ""} {}
    static StageInfo info() { return {.type = "spanned", .summary = "has spans"}; }
    std::int64_t transform(std::int64_t value, Firing& firing) override {
      const Span whole{firing, "whole"};
      const Span part{firing, "part"};
      firing.count("rows", 2);
      return value;
    }
  };
  auto& source = graph.add<NumberSource>("source", 10);
  auto& spanned = graph.add<Spanned>("spanned");
  graph.connect(source.out, spanned.in);
  const RunRecord record = Executor{graph, {}}.run();
  const StageRecord& stage = record.stages.at(1);
  ASSERT_EQ(stage.spans.size(), 2U);
  EXPECT_EQ(stage.spans[0].name, "whole");
  EXPECT_EQ(stage.spans[0].count, 10);
  EXPECT_GE(stage.spans[0].ns, stage.spans[1].ns);
  EXPECT_LE(stage.spans[0].ns, stage.busy_ns);
  EXPECT_EQ(stage.counters.at("rows"), 20);
}

TEST(Accounting, TellsTheBusiestStageWhileRunning) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 40);
  auto& quick = graph.add<SleepyStage>("quick", microseconds{100});
  auto& slow = graph.add<SleepyStage>("slow", microseconds{3000});
  auto& look = graph.add<ProbeStage>("look");
  graph.connect(source.out, quick.in);
  graph.connect(quick.out, slow.in);
  graph.connect(slow.out, look.in);
  Executor executor{graph, {}};
  BusiestStage busiest;
  look.on_fire = [&](std::int64_t value) {
    if (value == 30) {
      busiest = busiest_stage(LiveView{}, executor.live_view());
    }
  };
  (void)executor.run();
  EXPECT_EQ(busiest.name, "slow");
  EXPECT_GT(busiest.share, 0.5);
}

}  // namespace
}  // namespace dflash
