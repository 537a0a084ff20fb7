// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/stage_driver.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include <gmock/gmock.h>

#include "framework/runtime/executor.h"
#include "tests/framework/test_stages.h"

namespace dflash {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::Field;

/// Does something behind each step that takes two milliseconds.
RunRecord evaluated(Graph& graph) {
  RunOptions options;
  options.settles_at = [](std::int64_t) { return true; };
  options.between_steps = [](std::int64_t, Firing&, const SaveCut&) { std::this_thread::sleep_for(milliseconds{2}); };
  return Executor{graph, std::move(options)}.run();
}

const std::vector<FiringEvent>& firings_of(const RunRecord& record, std::string_view stage) {
  return std::ranges::find(record.timeline.stages, stage, &StageTimeline::name)->firings;
}

TEST(StageDriver, CountsWhatIsDoneBetweenStepsAsNoFiringsTime) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 9);
  auto& step = graph.add<StepStage>("step", 3);
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, step.in);
  graph.connect(step.metrics, sink.in);
  const RunRecord record = evaluated(graph);
  const StageRecord& stage = *std::ranges::find(record.stages, "step", &StageRecord::name);
  ASSERT_EQ(stage.spans.size(), 1U);
  EXPECT_EQ(stage.between_ns, stage.spans.front().ns);
  EXPECT_EQ(stage.service.count(), 9);
  EXPECT_EQ(stage.busy_ns, stage.service.sum() + stage.drain_ns + stage.between_ns);
  EXPECT_EQ(stage.busy_ns + stage.blocked_out_ns + stage.starved_in_ns + stage.gpu_wait_ns + stage.dispatch_ns +
                stage.ended_ns + stage.unaccounted_ns,
            record.wall_ns);
  EXPECT_EQ(stage.unaccounted_ns, 0);
  std::int64_t bodies = 0;
  for (const FiringEvent& firing : firings_of(record, "step")) {
    bodies += firing.body_end() - firing.begin;
  }
  EXPECT_EQ(bodies, stage.service.sum() + stage.drain_ns);
}

/// Completes a step with what it has held back.
struct DrainingStepStage final : Stage {
  static StageInfo info() { return {.type = "step", .summary = "one step in the end", .drives_steps = true}; }
  Input<std::int64_t> in{*this, "in", "numbers"};
  void fire(Firing& firing) override { (void)firing.take(in); }
  void drain(Firing& firing) override { firing.complete_step(1); }
};

TEST(StageDriver, TellsWhatIsDoneBehindAStepOfTheDrain) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 3);
  auto& step = graph.add<DrainingStepStage>("step");
  graph.connect(source.out, step.in);
  const RunRecord record = evaluated(graph);
  const StageRecord& stage = *std::ranges::find(record.stages, "step", &StageRecord::name);
  EXPECT_EQ(stage.service.count(), 3);
  EXPECT_GT(stage.between_ns, 0);
  EXPECT_EQ(stage.busy_ns, stage.service.sum() + stage.drain_ns + stage.between_ns);
  const std::vector<FiringEvent>& firings = firings_of(record, "step");
  EXPECT_THAT(firings, ElementsAre(Field(&FiringEvent::number, 1), Field(&FiringEvent::number, 2),
                                   Field(&FiringEvent::number, 3), Field(&FiringEvent::number, 0)));
  EXPECT_GE(firings.back().between, stage.between_ns);
}

}  // namespace
}  // namespace dflash
