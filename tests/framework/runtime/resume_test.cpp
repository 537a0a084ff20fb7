// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "framework/runtime/cut_file.h"
#include "tests/framework/runtime/training_run.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Resume, GoesOnWithTheSameItemsWithAPartialPackHeld) {
  expect_exact_resume(
      [](Graph& graph) -> StepStage& {
        auto& source = graph.add<NumberSource>("source", 100'000);
        auto& packer = graph.add<NumberPacker>("packer", 3);
        auto& queue = graph.add<NumberQueue>("queue", 8, 4);
        auto& step = graph.add<StepStage>("step", 2);
        graph.connect(source.out, packer.in);
        graph.connect(packer.out, queue.in);
        graph.connect(queue.out, step.in);
        return step;
      },
      2);
}

TEST(Resume, GoesOnInTheMiddleOfAFiringThatEmittedSeveralItems) {
  expect_exact_resume(
      [](Graph& graph) -> StepStage& {
        auto& source = graph.add<NumberSource>("source", 100'000);
        auto& repeater = graph.add<Repeater>("repeater", 5);
        auto& packer = graph.add<NumberPacker>("packer", 3);
        auto& step = graph.add<StepStage>("step");
        graph.connect(source.out, repeater.in);
        graph.connect(repeater.out, packer.in);
        graph.connect(packer.out, step.in);
        return step;
      },
      1);
}

TEST(Resume, GoesOnWhereBranchesOfAJoinStandAtDifferentPlaces) {
  expect_exact_resume(
      [](Graph& graph) -> StepStage& {
        auto& source = graph.add<NumberSource>("source", 100'000);
        auto& twos = graph.add<NumberPacker>("twos", 2);
        auto& threes = graph.add<NumberPacker>("threes", 3);
        auto& repeater = graph.add<Repeater>("repeater", 2);
        auto& join = graph.add<NumberJoin>("join");
        auto& step = graph.add<StepStage>("step");
        graph.connect(source.out, twos.in, {.items = 1000});
        graph.connect(source.out, threes.in);
        graph.connect(twos.out, repeater.in, {.items = 1000});
        graph.connect(repeater.out, join.left, {.items = 1000});
        graph.connect(threes.out, join.right);
        graph.connect(join.out, step.in);
        return step;
      },
      1);
}

TEST(Resume, FiringNumbersAndSequenceNumbersGoOn) {
  using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;
  struct Numbered final : Stage {
    explicit Numbered(Pairs& all) : seen{&all} {}
    static StageInfo info() { return {.type = "numbered", .summary = "notes firings", .stateless = true}; }
    Input<std::int64_t> in{*this, "in", "numbers"};
    Output<std::int64_t> out{*this, "out", "numbers"};
    void fire(Firing& firing) override {
      Item item = firing.take_item(in);
      seen->emplace_back(firing.number(), item.seq);
      firing.emit_item(out, std::move(item));
    }
    Pairs* seen;
  };
  Pairs seen;
  const Build build = [&](Graph& graph) -> StepStage& {
    auto& source = graph.add<NumberSource>("source", 100'000);
    auto& numbered = graph.add<Numbered>("numbered", seen);
    auto& step = graph.add<StepStage>("step");
    graph.connect(source.out, numbered.in);
    graph.connect(numbered.out, step.in);
    return step;
  };
  const TemporaryFolder folder;
  (void)run(build, {}, 10, folder.path());
  seen.clear();
  (void)run(build, folder.path());
  EXPECT_THAT(seen.at(0), testing::Pair(11, 10));
  EXPECT_THAT(seen.at(5), testing::Pair(16, 15));
}

TEST(Resume, TheLastCutLeavesOutWhatWasTakenAfterTheLastStep) {
  const TemporaryFolder folder;
  {
    Graph graph;
    auto& source = graph.add<NumberSource>("source", 11);
    auto& step = graph.add<StepStage>("step", 3);
    graph.connect(source.out, step.in);
    RunOptions options;
    options.drained = [&](std::int64_t, const SaveCut& save) { save(folder.path()); };
    (void)Executor{graph, options}.run();
    ASSERT_EQ(step.step, 3);
    ASSERT_EQ(step.held, 2);
  }
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 100);
  auto& step = graph.add<StepStage>("step", 3);
  graph.connect(source.out, step.in);
  RunOptions options;
  options.steps = 4;
  options.resume_from = folder.path();
  (void)Executor{graph, options}.run();
  EXPECT_THAT(step.seen, testing::ElementsAre(9, 10, 11));
}

TEST(Resume, KeepsFilesOfTheStepStageInAFolderOfItsName) {
  struct FileStep final : Stage {
    static StageInfo info() { return {.type = "file_step", .summary = "keeps a file", .drives_steps = true}; }
    Input<std::int64_t> in{*this, "in", "numbers"};
    void fire(Firing& firing) override {
      weight += firing.take(in);
      firing.complete_step(firing.number());
    }
    void save(Snapshot& snapshot) const override {
      snapshot.values["has_file"] = true;
      if (!snapshot.folder.empty()) {
        std::ofstream{snapshot.folder / "weight.txt"} << weight;
      }
    }
    void load(const Snapshot& snapshot) override { std::ifstream{snapshot.folder / "weight.txt"} >> weight; }
    std::int64_t weight = 0;
  };
  const TemporaryFolder folder;
  const auto run_to = [&](std::int64_t steps, const std::filesystem::path& from) {
    Graph graph;
    auto& source = graph.add<NumberSource>("source", 100);
    auto& step = graph.add<FileStep>("step");
    graph.connect(source.out, step.in);
    RunOptions options;
    options.steps = steps;
    options.resume_from = from;
    options.drained = [&](std::int64_t, const SaveCut& save) { save(folder.path()); };
    (void)Executor{graph, options}.run();
    return step.weight;
  };
  EXPECT_EQ(run_to(3, {}), 0 + 1 + 2);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "step" / "weight.txt"));
  EXPECT_EQ(run_to(5, folder.path()), 0 + 1 + 2 + 3 + 4);
}

StepStage& probed(Graph& graph, const std::string& name, const std::string& failing) {
  auto& source = graph.add<NumberSource>("source", 100'000);
  auto& probe = graph.add<ProbeStage>(name, failing);
  auto& step = graph.add<StepStage>("step");
  graph.connect(source.out, probe.in);
  graph.connect(probe.out, step.in);
  return step;
}

TEST(Resume, NamesTheStageThatCannotLoad) {
  const TemporaryFolder folder;
  (void)run([](Graph& graph) -> StepStage& { return probed(graph, "probe", ""); }, {}, 5, folder.path());
  EXPECT_THAT(
      [&] { (void)run([](Graph& graph) -> StepStage& { return probed(graph, "probe", "load"); }, folder.path()); },
      ThrowsMessage<StageError>(AllOf(HasSubstr("stage 'probe' (load)"), HasSubstr("planted in load"))));
}

TEST(Resume, RefusesTheCutOfAnotherGraph) {
  const TemporaryFolder folder;
  (void)run([](Graph& graph) -> StepStage& { return probed(graph, "probe", ""); }, {}, 5, folder.path());
  EXPECT_THAT([&] { (void)run([](Graph& graph) -> StepStage& { return probed(graph, "probes", ""); }, folder.path()); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("knows a stage 'probe'"), HasSubstr("did you mean 'probes'"))));
}

TEST(Resume, RefusesAFolderWithoutACut) {
  const TemporaryFolder folder;
  EXPECT_THAT([&] { (void)run([](Graph& graph) -> StepStage& { return probed(graph, "probe", ""); }, folder.path()); },
              ThrowsMessage<UserError>(HasSubstr("cut.json")));
}

TEST(Resume, RefusesACutWhoseCountsAreNotThoseOfTheStagesOutputs) {
  const Build build = [](Graph& graph) -> StepStage& {
    auto& source = graph.add<NumberSource>("source", 1000);
    auto& step = graph.add<StepStage>("step");
    graph.connect(source.out, step.in);
    return step;
  };
  for (const bool is_delivered : {false, true}) {
    const TemporaryFolder folder;
    (void)run(build, {}, 3, folder.path());
    Cut cut = read_cut(folder.path());
    StagePosition& source = cut.at("source");
    (is_delivered ? source.delivered : source.outputs).push_back(0);
    write_cut(folder.path(), cut);
    EXPECT_THAT([&] { (void)run(build, folder.path()); },
                ThrowsMessage<StageError>(AllOf(HasSubstr("stage 'source' (load)"), HasSubstr("outputs"))));
  }
}

}  // namespace
}  // namespace dflash
