// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>

#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "framework/runtime/executor.h"
#include "tests/framework/test_stages.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::SizeIs;
using testing::ThrowsMessage;

using Build = std::function<StepStage&(Graph&)>;

constexpr std::int64_t kSteps = 40;

struct TrainingRun {
  std::vector<std::int64_t> seen;
  std::int64_t total = 0;
  RunRecord record;
};

/// Runs to kSteps; at step `cut_at` saves a cut into `folder`.
TrainingRun run(const Build& build, const std::filesystem::path& resume_from = {}, std::int64_t cut_at = 0,
                const std::filesystem::path& folder = {}) {
  Graph graph;
  StepStage& step = build(graph);
  RunOptions options;
  options.steps = kSteps;
  options.resume_from = resume_from;
  options.between_steps = [&](std::int64_t now, Firing&, const SaveCut& save) {
    if (now == cut_at) {
      save(folder);
    }
  };
  TrainingRun result;
  result.record = Executor{graph, options}.run();
  result.seen = step.seen;
  result.total = step.total;
  return result;
}

/// Cuts at several steps; each resumed run must see exactly what the whole run saw after the cut.
void expect_exact_resume(const Build& build, std::int64_t accumulate) {
  const TrainingRun whole = run(build);
  ASSERT_THAT(whole.seen, SizeIs(kSteps * accumulate));
  for (const std::int64_t cut_at : {1, 2, 3, 7, 8, 19}) {
    const TemporaryFolder folder;
    (void)run(build, {}, cut_at, folder.path());
    const TrainingRun resumed = run(build, folder.path());
    EXPECT_EQ(resumed.record.outcome.code, 0) << resumed.record.outcome.text;
    EXPECT_EQ(resumed.record.steps, kSteps - cut_at);
    EXPECT_EQ(resumed.total, whole.total);
    EXPECT_THAT(resumed.seen, ElementsAreArray(whole.seen.begin() + cut_at * accumulate, whole.seen.end()))
        << "cut at step " << cut_at;
  }
}

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

TEST(Resume, ResumesAResumedRun) {
  const Build build = [](Graph& graph) -> StepStage& {
    auto& source = graph.add<NumberSource>("source", 100'000);
    auto& repeater = graph.add<Repeater>("repeater", 4);
    auto& step = graph.add<StepStage>("step");
    graph.connect(source.out, repeater.in);
    graph.connect(repeater.out, step.in);
    return step;
  };
  const TrainingRun whole = run(build);
  const TemporaryFolder first;
  const TemporaryFolder second;
  (void)run(build, {}, 6, first.path());
  (void)run(build, first.path(), 7, second.path());
  EXPECT_THAT(run(build, second.path()).seen, ElementsAreArray(whole.seen.begin() + 7, whole.seen.end()));
}

/// Keeps pairs of numbers and gives the second of each first, so that half of the time an older one is left behind. As
/// long as no pair has left whole it has no origin to give.
struct SwappingQueue final : Buffer {
  static StageInfo info() { return {.type = "swapping_queue", .summary = "swaps the numbers of each pair"}; }
  Input<std::int64_t> in{*this, "in", "numbers"};
  Output<std::int64_t> out{*this, "out", "numbers"};
  bool has_room() const override { return size() < 6; }
  bool has_ready(bool ended) const override { return size() >= (ended || (second_has_left && !drops_second) ? 1 : 2); }
  void put(Item item) override {
    if (drops_second && item.seq == base + 2) {
      drops_second = false;
      origin_of_second = item.origin;
      return;
    }
    items.push_back(std::move(item));
  }
  Item pop() override {
    const std::ptrdiff_t chosen = second_has_left ? 0 : 1;
    Item item = std::move(items[static_cast<std::size_t>(chosen)]);
    items.erase(items.begin() + chosen);
    second_has_left = !second_has_left;
    if (second_has_left) {
      origin_of_second = std::exchange(item.origin, origin_of_base);
    } else {
      base += 2;
      origin_of_base = item.origin = origin_of_second;
    }
    return item;
  }
  std::int64_t size() const override { return static_cast<std::int64_t>(items.size()); }
  std::int64_t capacity() const override { return 6; }
  void save(Snapshot& snapshot) const override {
    snapshot.values = {{"base", base}, {"second_has_left", second_has_left}};
  }
  void load(const Snapshot& snapshot) override {
    base = snapshot.values.at("base").get<std::int64_t>();
    second_has_left = drops_second = snapshot.values.at("second_has_left").get<bool>();
  }
  std::deque<Item> items;
  bool second_has_left = false;
  bool drops_second = false;
  std::int64_t base = -1;  // all up to here have left
  std::shared_ptr<const Origin> origin_of_base;
  std::shared_ptr<const Origin> origin_of_second;
};

StepStage& swapped(Graph& graph) {
  auto& source = graph.add<NumberSource>("source", 100'000);
  auto& packer = graph.add<NumberPacker>("packer", 3);
  auto& queue = graph.add<SwappingQueue>("queue");
  auto& step = graph.add<StepStage>("step");
  graph.connect(source.out, packer.in);
  graph.connect(packer.out, queue.in);
  graph.connect(queue.out, step.in);
  return step;
}

TEST(Resume, GoesOnBehindABufferThatLetsNewerItemsLeaveFirst) { expect_exact_resume(swapped, 1); }

TEST(Resume, ResumesAResumedRunWhoseBufferHasNotLetGoOfItsFirstItemsYet) {
  const TrainingRun whole = run(swapped);
  for (const std::int64_t cut_at : {3, 4}) {
    const TemporaryFolder first;
    const TemporaryFolder second;
    (void)run(swapped, {}, cut_at, first.path());
    (void)run(swapped, first.path(), cut_at + 1, second.path());
    EXPECT_THAT(run(swapped, second.path()).seen, ElementsAreArray(whole.seen.begin() + cut_at + 1, whole.seen.end()))
        << "first cut at step " << cut_at;
  }
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

}  // namespace
}  // namespace dflash
