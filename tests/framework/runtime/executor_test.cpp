// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/executor.h"

#include <array>
#include <atomic>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <pthread.h>

#include "framework/core/error.h"
#include "tests/framework/test_stages.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::ThrowsMessage;

std::vector<std::int64_t> numbers_up_to(std::int64_t count) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

#ifdef __SANITIZE_THREAD__
constexpr std::int64_t kMany = 20'000;
#else
constexpr std::int64_t kMany = 1'000'000;
#endif

TEST(Executor, DeliversEachOfManyItemsInOrder) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", kMany);
  auto& middle = graph.add_function<std::int64_t, std::int64_t>("middle", [](std::int64_t value) { return value; });
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, middle.in);
  graph.connect(middle.out, sink.in);
  const RunRecord record = Executor{graph, {}}.run();
  EXPECT_EQ(record.outcome.code, 0) << record.outcome.text;
  EXPECT_THAT(record.errors, IsEmpty());
  EXPECT_EQ(sink.seen, numbers_up_to(kMany));
  EXPECT_EQ(record.edges.at(1).items, kMany);
  EXPECT_EQ(record.stages.at(1).firings, kMany);
}

TEST(Executor, NeverHoldsMoreThanTheCapacity) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 10'000);
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, sink.in, {.items = 3});
  const RunRecord record = Executor{graph, {}}.run();
  EXPECT_LE(record.edges.at(0).max_fill, 3);
  EXPECT_THAT(sink.seen, SizeIs(10'000));
}

TEST(Executor, HoldsTheByteBoundAndLetsOversizeItemsPassAlone) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 1000);
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, sink.in, {.items = 100, .bytes = 7});
  const RunRecord record = Executor{graph, {}}.run();
  EXPECT_EQ(sink.seen, numbers_up_to(1000));
  EXPECT_EQ(record.edges.at(0).max_fill, 1);
  EXPECT_EQ(record.edges.at(0).oversize, 1000);
}

TEST(Executor, FansOutAndJoinsInStep) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 5000);
  auto& negative =
      graph.add_function<std::int64_t, std::int64_t>("negative", [](std::int64_t value) { return -value; });
  auto& join = graph.add<NumberJoin>("join");
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, negative.in, {.items = 1});
  graph.connect(source.out, join.left, {.items = 2});
  graph.connect(negative.out, join.right);
  graph.connect(join.out, sink.in);
  EXPECT_EQ(Executor(graph, {}).run().outcome.code, 0);
  EXPECT_EQ(sink.seen, std::vector<std::int64_t>(5000, 0));
}

TEST(Executor, EndsWhereOneInputOfAJoinEndsEarlier) {
  Graph graph;
  auto& shorter = graph.add<NumberSource>("shorter", 3);
  auto& longer = graph.add<NumberSource>("longer", 100);
  auto& join = graph.add<NumberJoin>("join");
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(shorter.out, join.left);
  graph.connect(longer.out, join.right);
  graph.connect(join.out, sink.in);
  const RunRecord record = Executor{graph, {}}.run();
  EXPECT_EQ(record.outcome.code, 0) << record.outcome.text;
  EXPECT_THAT(sink.seen, ElementsAre(0, 2, 4));
  EXPECT_EQ(record.edges.at(1).abandoned, 97);
}

TEST(Executor, DrainsTheRemainderAtTheEndOfTheStream) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 7);
  auto& packer = graph.add<NumberPacker>("packer", 3);
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, packer.in);
  graph.connect(packer.out, sink.in);
  EXPECT_EQ(Executor(graph, {}).run().outcome.code, 0);
  EXPECT_THAT(sink.seen, ElementsAre(3, 12, 6));
}

TEST(Executor, HoldsWhatAFiringEmitsBeyondTheCredit) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 100);
  auto& repeater = graph.add<Repeater>("repeater", 9);
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, repeater.in);
  graph.connect(repeater.out, sink.in, {.items = 2});
  const RunRecord record = Executor{graph, {}}.run();
  EXPECT_THAT(sink.seen, SizeIs(900));
  EXPECT_TRUE(std::ranges::is_sorted(sink.seen));
  EXPECT_LE(record.edges.at(1).max_fill, 2);
}

TEST(Executor, DropsItemsOfAnOutputThatNobodyTakes) {
  Graph graph;
  graph.add<NumberSource>("source", 100);
  EXPECT_EQ(Executor(graph, {}).run().outcome.code, 0);
}

TEST(Executor, FillsABufferToItsWatermarkAndEmptiesItAtTheEnd) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 1000);
  auto& queue = graph.add<NumberQueue>("queue", 8, 4);
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, queue.in);
  graph.connect(queue.out, sink.in);
  const RunRecord record = Executor{graph, {}}.run();
  EXPECT_EQ(sink.seen, numbers_up_to(1000));
  EXPECT_EQ(queue.smallest_at_pop, 1);  // only the last ones leave below the watermark
  ASSERT_THAT(record.edges, SizeIs(3));
  const EdgeRecord& row = record.edges.at(2);
  EXPECT_TRUE(row.is_buffer);
  EXPECT_EQ(row.name, "queue");
  EXPECT_EQ(row.from_stage, row.to_stage);
  EXPECT_EQ(record.stages.at(row.from_stage).name, "queue");
  EXPECT_EQ(row.items, 1000);
  EXPECT_EQ(row.capacity_items, 8);
  EXPECT_LE(row.max_fill, 8);
  EXPECT_EQ(row.residence.count(), 1000);
}

TEST(Executor, CountsNoItemThatABufferDoesNotKeep) {
  struct OddQueue final : NumberQueue {
    OddQueue() : NumberQueue{8, 4} {}
    static StageInfo info() { return {.type = "odd_queue", .summary = "keeps odd numbers"}; }
    void put(Item item) override {
      if (*static_cast<const std::int64_t*>(item.payload.get()) % 2 != 0) {
        NumberQueue::put(std::move(item));
      }
    }
  };
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 1000);
  auto& queue = graph.add<OddQueue>("queue");
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, queue.in);
  graph.connect(queue.out, sink.in);
  const RunRecord record = Executor{graph, {}}.run();
  EXPECT_THAT(sink.seen, SizeIs(500));
  const EdgeRecord& row = record.edges.at(2);
  EXPECT_EQ(row.items, 500);
  EXPECT_EQ(row.bytes, record.edges.at(1).bytes);
  EXPECT_EQ(row.residence.count(), 500);
}

TEST(Executor, NamesTheStagesOfADeadlockAndWhatTheyWaitFor) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 100);
  auto& packer = graph.add<NumberPacker>("packer", 5);
  auto& join = graph.add<NumberJoin>("join");
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, packer.in);
  graph.connect(source.out, join.left, {.items = 2});
  graph.connect(packer.out, join.right);
  graph.connect(join.out, sink.in);
  const RunRecord record = Executor{graph, {}}.run();
  EXPECT_EQ(record.outcome.code, 3);
  EXPECT_THAT(record.outcome.text,
              AllOf(HasSubstr("stage 'source' waits for room on edge 'source.out->join.left' (2 of 2 items)"),
                    HasSubstr("stage 'packer' waits for an item on edge 'source.out->packer.in'"),
                    HasSubstr("stage 'join' waits for an item on edge 'packer.out->join.right'"),
                    HasSubstr("stage 'sink' waits for an item on edge 'join.out->sink.in'")));
}

TEST(Executor, RefusesAGraphWithProblemsBeforeAnythingOpens) {
  Graph graph;
  auto& probe = graph.add<ProbeStage>("probe");
  std::vector<std::string> diary;
  probe.diary = &diary;
  Executor executor{graph, {}};
  EXPECT_THAT([&] { (void)executor.run(); }, ThrowsMessage<UserError>(HasSubstr("input 'probe.in'")));
  EXPECT_THAT(diary, IsEmpty());
}

TEST(Executor, CallsTheWorkerHookOnceOnEachThreadThatFires) {
  std::mutex mutex;
  std::multiset<std::thread::id> started;
  std::set<std::thread::id> fired;
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 2000);
  auto& probe = graph.add<ProbeStage>("probe");
  auto& sink = graph.add<NumberSink>("sink");
  probe.on_fire = [&](std::int64_t) { fired.insert(std::this_thread::get_id()); };
  graph.connect(source.out, probe.in);
  graph.connect(probe.out, sink.in);
  RunOptions options;
  options.worker_started = [&] {
    const std::lock_guard lock{mutex};
    started.insert(std::this_thread::get_id());
  };
  (void)Executor{graph, options}.run();
  EXPECT_THAT(fired, testing::Not(IsEmpty()));
  EXPECT_THAT(fired, testing::Each(testing::ResultOf([&](std::thread::id id) { return started.count(id); }, 1)));
}

TEST(Executor, NamesThreadsByTheirLanes) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 3);
  auto& reader = dynamic_cast<ProbeStage&>(
      graph.add_stage("reader", ProbeStage::info(), std::make_unique<ProbeStage>(), {.lane = "io"}));
  graph.connect(source.out, reader.in);
  std::string name;
  reader.on_fire = [&](std::int64_t) {
    std::array<char, 16> text{};
    pthread_getname_np(pthread_self(), text.data(), text.size());
    name = text.data();
  };
  EXPECT_EQ(Executor(graph, {}).run().outcome.code, 0);
  EXPECT_EQ(name, "io");
}

TEST(Executor, NeverRunsStagesThatShareALaneBesideEachOther) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 500);
  auto& first = graph.add<ProbeStage>("first");
  auto& sharing = graph.add<ProbeStage>("sharing");
  auto& other = graph.add<ProbeStage>("other");
  auto& sink = graph.add<NumberSink>("sink");
  sharing.shares_lane = true;
  std::atomic<bool> is_inside{false};
  std::atomic<int> overlaps{0};
  const auto enter_and_leave = [&](std::int64_t) {
    overlaps += is_inside.exchange(true) ? 1 : 0;
    std::this_thread::yield();
    is_inside = false;
  };
  first.on_fire = enter_and_leave;
  sharing.on_fire = enter_and_leave;
  graph.connect(source.out, first.in);
  graph.connect(first.out, sharing.in);
  graph.connect(sharing.out, other.in);
  graph.connect(other.out, sink.in);
  const RunRecord record = Executor{graph, {}}.run();
  EXPECT_EQ(record.outcome.code, 0) << record.outcome.text;
  EXPECT_EQ(overlaps, 0);
  EXPECT_EQ(record.stages.at(1).lane, "lane of first");
  EXPECT_EQ(record.stages.at(2).lane, "lane of first");
  EXPECT_EQ(record.stages.at(3).lane, "cpu");
  EXPECT_EQ(record.lanes.back().workers, 1);
  EXPECT_THAT(sink.seen, SizeIs(500));
}

TEST(Executor, RunsOnlyOnce) {
  Graph graph;
  graph.add<NumberSource>("source", 1);
  Executor executor{graph, {}};
  (void)executor.run();
  EXPECT_THROW((void)executor.run(), InternalError);
}

}  // namespace
}  // namespace dflash
