// SPDX-License-Identifier: Apache-2.0
// What a cut says of the stages before the step stage, where that is not simply what they said last.
#include "framework/runtime/origin.h"

#include <deque>
#include <utility>

#include <gmock/gmock.h>

#include "tests/framework/runtime/training_run.h"

namespace dflash {
namespace {

using testing::ElementsAreArray;

TEST(Origin, ResumesAResumedRun) {
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

TEST(Origin, GoesOnBehindABufferThatLetsNewerItemsLeaveFirst) { expect_exact_resume(swapped, 1); }

TEST(Origin, ResumesAResumedRunWhoseBufferHasNotLetGoOfItsFirstItemsYet) {
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

}  // namespace
}  // namespace dflash
