// SPDX-License-Identifier: Apache-2.0
// Recordings that lack items, or a replay that is another run: every item that a stage has taken is in the recording,
// or the recording says that it is not whole; and played again it gives what the run gave.
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "framework/recording/item_recorder.h"
#include "framework/recording/record_ports.h"
#include "framework/recording/recording.h"
#include "framework/recording/replay_graph.h"
#include "framework/runtime/executor.h"
#include "tests/framework/test_stages.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;
using testing::ContainerEq;
using testing::ElementsAre;
using testing::Ge;
using testing::Gt;
using testing::SizeIs;

constexpr std::uint64_t kOrders = 40;

/// Passes on even numbers and fails on odd ones.
struct EvenStage final : Transform<std::int64_t, std::int64_t> {
  EvenStage() : Transform{"in", "numbers", "out", "even numbers"} {}
  static StageInfo info() { return {.type = "even", .summary = "fails on odd numbers", .stateless = true}; }
  std::int64_t transform(std::int64_t value, Firing&) override {
    DFLASH_CHECK(value % 2 == 0, "odd");
    return value;
  }
};

class RecordReplay : public testing::Test {
 protected:
  static RunRecord run(Graph& graph, const fs::path& folder, std::int64_t steps = 0,
                       std::optional<std::uint64_t> order_seed = {}) {
    RunOptions options;
    options.steps = steps;
    options.run_dir = folder;
    options.order_seed = order_seed;
    return Executor{graph, std::move(options)}.run();
  }
  static void record(Graph& graph, const std::string& port) { (void)record_ports(graph, {.ports = {port}}); }
  static Recording recording(const fs::path& folder, const std::string& port) {
    return Recording{ItemRecorder::file_in(folder, port)};
  }
  static std::vector<std::int64_t> values(const Recording& recording) {
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < recording.size(); ++i) {
      values.push_back(ItemType<std::int64_t>::deserialize(recording.read(i).bytes, "cpu"));
    }
    return values;
  }

  TemporaryFolder folder_;
  fs::path recorded_ = folder_.path() / "recorded";
  fs::path replayed_ = folder_.path() / "replayed";
};

TEST_F(RecordReplay, D33ARunThatEndsAtItsStepsHasRecordedAllThatWasTaken) {
  for (std::uint64_t order = 0; order < kOrders; ++order) {
    Graph graph;
    auto& source = graph.add<NumberSource>("source", 1000);
    auto& repeater = graph.add<Repeater>("repeater", 5);
    auto& step = graph.add<StepStage>("step", 2);
    auto& sink = graph.add<NumberSink>("sink");
    graph.connect(source.out, repeater.in, {.items = 2});
    graph.connect(repeater.out, step.in, {.items = 3});
    graph.connect(step.metrics, sink.in);
    record(graph, "repeater.out");
    const fs::path folder = folder_.path() / std::to_string(order);
    ASSERT_EQ(run(graph, folder, 9, order).outcome.code, 0);
    const Recording made = recording(folder, "repeater.out");
    EXPECT_TRUE(made.is_whole()) << made.extent();
    const std::vector<std::int64_t> all = values(made);
    ASSERT_THAT(step.seen, SizeIs(18));
    ASSERT_THAT(all, SizeIs(Ge(18U)));
    EXPECT_THAT(std::vector(all.begin(), all.begin() + 18), ContainerEq(step.seen)) << "order " << order;
  }
}

TEST_F(RecordReplay, D33WhatLiesBehindTheStepsIsRecordedToTheLast) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 1000);
  auto& step = graph.add<StepStage>("step");
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, step.in);
  graph.connect(step.metrics, sink.in);
  record(graph, "step.metrics");
  ASSERT_EQ(run(graph, recorded_, 7).outcome.code, 0);
  EXPECT_THAT(values(recording(recorded_, "step.metrics")), ContainerEq(sink.seen));
}

/// source -> packer -> sink
struct Packing {
  Packing() {
    graph.connect(source.out, packer.in);
    graph.connect(packer.out, sink.in);
  }
  Graph graph;
  NumberSource& source = graph.add<NumberSource>("source", 10);
  NumberPacker& packer = graph.add<NumberPacker>("packer", 3);
  NumberSink& sink = graph.add<NumberSink>("sink");
};

TEST_F(RecordReplay, D33AStageAloneGivesWhatItGaveInTheRun) {
  Packing whole;
  record(whole.graph, "source.out");
  record(whole.graph, "packer.out");
  ASSERT_EQ(run(whole.graph, recorded_).outcome.code, 0);
  EXPECT_THAT(whole.sink.seen, ElementsAre(3, 12, 21, 9));

  Packing alone;
  (void)keep_for_replay(alone.graph, {.stage = "packer", .from = {recorded_}});
  record(alone.graph, "packer.out");
  ASSERT_EQ(run(alone.graph, replayed_).outcome.code, 0);
  EXPECT_EQ(read_text(ItemRecorder::file_in(replayed_, "packer.out")),
            read_text(ItemRecorder::file_in(recorded_, "packer.out")));
}

TEST_F(RecordReplay, D33ARunThatFailsLeavesARecordingThatSaysSo) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 1000);
  auto& probe = graph.add<ProbeStage>("probe", "fire", 50);
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, probe.in);
  graph.connect(probe.out, sink.in);
  record(graph, "source.out");
  ASSERT_EQ(run(graph, recorded_).outcome.code, 1);
  const Recording made = recording(recorded_, "source.out");
  EXPECT_FALSE(made.is_whole());
  EXPECT_THAT(made.extent(), testing::StartsWith("incomplete: "));
  EXPECT_THAT(made.size(), Gt(40U));
}

TEST_F(RecordReplay, D33SkippedFiringsAreSkippedAgain) {
  const auto make = [](Graph& graph) -> NumberSink& {
    auto& source = graph.add<NumberSource>("source", 6);
    auto& even = dynamic_cast<EvenStage&>(
        graph.add_stage("even", EvenStage::info(), std::make_unique<EvenStage>(), {.on_error = {.skip = true}}));
    auto& join = graph.add<NumberJoin>("join");
    auto& sink = graph.add<NumberSink>("sink");
    graph.connect(source.out, even.in);
    graph.connect(source.out, join.left);
    graph.connect(even.out, join.right);
    graph.connect(join.out, sink.in);
    return sink;
  };
  Graph whole;
  const NumberSink& sink = make(whole);
  for (const char* port : {"source.out", "even.out", "join.out"}) {
    record(whole, port);
  }
  ASSERT_EQ(run(whole, recorded_).outcome.code, 0);
  EXPECT_THAT(sink.seen, ElementsAre(0, 4, 8));
  EXPECT_EQ(recording(recorded_, "even.out").seq(2), 4);

  Graph alone;
  (void)make(alone);
  (void)keep_for_replay(alone, {.stage = "join", .from = {recorded_}});
  record(alone, "join.out");
  ASSERT_EQ(run(alone, replayed_).outcome.code, 0);
  EXPECT_THAT(values(recording(replayed_, "join.out")), ElementsAre(0, 4, 8));
}

}  // namespace
}  // namespace dflash
