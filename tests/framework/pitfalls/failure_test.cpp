// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "framework/runtime/executor.h"
#include "tests/framework/test_stages.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Lt;
using testing::Not;
using testing::Pair;
using testing::SizeIs;

/// Passes numbers on; fails those that `fails` names, each as often as it says.
struct ShakyStage final : Transform<std::int64_t, std::int64_t> {
  ShakyStage() : Transform{"in", "numbers", "out", "numbers"} {}
  static StageInfo info() { return {.type = "shaky", .summary = "fails now and then", .stateless = true}; }
  std::int64_t transform(std::int64_t value, Firing&) override {
    const std::lock_guard lock{mutex};
    const auto found = fails.find(value);
    DFLASH_CHECK(found == fails.end() || found->second-- <= 0, "shaken by {}", value);
    return value;
  }
  std::mutex mutex;
  std::map<std::int64_t, int> fails;
};

/// source -> shaky -> sink, and source and shaky joined, which shows whether pairs stay pairs.
struct ShakyRun {
  explicit ShakyRun(ErrorPolicy policy, std::int64_t replicas = 1) {
    auto& source = graph.add<NumberSource>("source", 100);
    auto owned = std::make_unique<ShakyStage>();
    shaky = owned.get();
    Placement placement;
    placement.on_error = policy;
    placement.replicas = replicas;
    graph.add_stage("shaky", ShakyStage::info(), std::move(owned), placement);
    auto& negative = graph.add_function<std::int64_t, std::int64_t>("negative", [](std::int64_t v) { return -v; });
    auto& join = graph.add<NumberJoin>("join");
    sink = &graph.add<NumberSink>("sink");
    sums = &graph.add<NumberSink>("sums");
    graph.connect(source.out, shaky->in);
    graph.connect(source.out, join.left);
    graph.connect(shaky->out, negative.in);
    graph.connect(shaky->out, sink->in);
    graph.connect(negative.out, join.right);
    graph.connect(join.out, sums->in);
  }
  RunRecord run() { return Executor{graph, {}}.run(); }
  Graph graph;
  ShakyStage* shaky = nullptr;
  NumberSink* sink = nullptr;
  NumberSink* sums = nullptr;
};

TEST(D11, AFailedFiringEndsTheRunByStageItemAndCause) {
  ShakyRun shaky{{}};
  shaky.shaky->fails = {{6, 1}};
  const RunRecord record = shaky.run();
  EXPECT_EQ(record.outcome.code, 1);
  EXPECT_THAT(record.outcome.text, AllOf(HasSubstr("stage 'shaky'"), HasSubstr("7"), HasSubstr("shaken by 6")));
  EXPECT_THAT(shaky.sink->seen, Each(Lt(6)));
}

TEST(D11, WhatIsSkippedIsCountedAndPairsStayPairs) {
  for (const std::int64_t replicas : {1, 3}) {
    ShakyRun shaky{{.skip = true}, replicas};
    shaky.shaky->fails = {{6, 100}, {7, 100}, {99, 100}};
    const RunRecord record = shaky.run();
    EXPECT_EQ(record.outcome.code, 0) << record.outcome.text;
    EXPECT_THAT(shaky.sink->seen, AllOf(SizeIs(97), Not(Contains(6)), Not(Contains(99))));
    EXPECT_EQ(shaky.sums->seen, std::vector<std::int64_t>(97, 0));
    EXPECT_THAT(record.stages.at(1).counters, Contains(Pair("skipped", 3)));
    EXPECT_THAT(record.errors, IsEmpty());
  }
}

TEST(D11, WhatIsTriedAgainGetsTheSameInputsAndLosesNothing) {
  for (const std::int64_t replicas : {1, 3}) {
    ShakyRun shaky{{.retry = 2}, replicas};
    shaky.shaky->fails = {{6, 2}, {50, 1}};
    const RunRecord record = shaky.run();
    EXPECT_EQ(record.outcome.code, 0) << record.outcome.text;
    EXPECT_THAT(shaky.sink->seen, SizeIs(100));
    EXPECT_TRUE(std::ranges::is_sorted(shaky.sink->seen));
    EXPECT_THAT(record.stages.at(1).counters, Contains(Pair("retried", 3)));
  }
}

TEST(D11, AFiringThatFailsEveryTimeEndsTheRunAfterItsLastTry) {
  ShakyRun shaky{{.retry = 2}};
  shaky.shaky->fails = {{6, 3}};
  const RunRecord record = shaky.run();
  EXPECT_EQ(record.outcome.code, 1);
  EXPECT_THAT(record.stages.at(1).counters, Contains(Pair("retried", 2)));
}

TEST(D11, AStageThatKeepsSomethingIsNeitherRepeatedNorSkipped) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 3);
  Placement placement;
  placement.on_error = {.skip = true};
  placement.replicas = 2;
  auto owned = std::make_unique<NumberPacker>(2);
  NumberPacker& packer = *owned;
  graph.add_stage("packer", NumberPacker::info(), std::move(owned), placement);
  graph.connect(source.out, packer.in);
  EXPECT_THAT(graph.problems(), testing::ElementsAre(HasSubstr("found 2, allowed: 1"), HasSubstr("only to stop")));
}

TEST(D11, AFailureInOneSlotEndsTheOthersAndIsToldOnce) {
  ShakyRun shaky{{}, 4};
  shaky.shaky->fails = {{20, 1}};
  const RunRecord record = shaky.run();
  EXPECT_EQ(record.outcome.code, 1);
  EXPECT_THAT(record.outcome.text, HasSubstr("shaken by 20"));
  EXPECT_THAT(record.errors, SizeIs(1));
}

TEST(D13, AFailureInAStageOnItsProducersLaneIsToldAsAnyOther) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 100);
  auto& producer = graph.add<ProbeStage>("producer");
  auto& inline_stage = graph.add<ProbeStage>("inline", "fire", 7);
  inline_stage.shares_lane = true;
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, producer.in);
  graph.connect(producer.out, inline_stage.in);
  graph.connect(inline_stage.out, sink.in);
  const RunRecord record = Executor{graph, {}}.run();
  EXPECT_EQ(record.stages.at(2).lane, record.stages.at(1).lane);
  EXPECT_EQ(record.outcome.code, 1);
  EXPECT_THAT(record.outcome.text, AllOf(HasSubstr("stage 'inline'"), HasSubstr("7"), HasSubstr("planted in fire")));
  EXPECT_THAT(sink.seen, Each(Lt(6)));
}

/// Waits for a door that only the test opens.
struct Door {
  void wait() {
    std::unique_lock lock{mutex};
    opened.wait(lock, [this] { return is_open; });
  }
  void open() {
    const std::lock_guard lock{mutex};
    is_open = true;
    opened.notify_all();
  }
  std::mutex mutex;
  std::condition_variable opened;
  bool is_open = false;
};

/// The first stall whose text has `words`.
std::optional<Outcome> wait_for_stall(Executor& executor, const std::string& words = {}) {
  std::optional<Outcome> stall;
  while (!stall || stall->text.find(words) == std::string::npos) {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
    stall = executor.find_stall();
  }
  return stall;
}

TEST(Stall, NamesTheStageThatDoesNotReturnAndTheEdgesAroundIt) {
  Door door;
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 100);
  auto& stuck = graph.add<ProbeStage>("stuck");
  auto& sink = graph.add<NumberSink>("sink");
  stuck.on_fire = [&](std::int64_t value) {
    if (value == 5) {
      door.wait();
    }
  };
  graph.connect(source.out, stuck.in, {.items = 3});
  graph.connect(stuck.out, sink.in);
  RunOptions options;
  options.stall_timeout = std::chrono::milliseconds{50};
  Executor executor{graph, options};
  std::thread run{[&] { EXPECT_EQ(executor.run().outcome.code, 0); }};
  const std::optional<Outcome> stall = wait_for_stall(executor, "Full edges: 'source.out->stuck.in'");
  door.open();
  run.join();
  EXPECT_EQ(stall->code, 3);
  EXPECT_THAT(stall->text, AllOf(HasSubstr("stage 'stuck' has not returned from a firing"),
                                 HasSubstr("Full edges: 'source.out->stuck.in'; empty ones: 'stuck.out->sink.in'")));
  EXPECT_EQ(executor.find_stall(), std::nullopt);
}

/// Blocks in its third item, whatever it is asked.
struct DeafSource final : Source<std::int64_t> {
  explicit DeafSource(Door& given) : Source{"out", "numbers"}, door{&given} {}
  static StageInfo info() { return {.type = "deaf", .summary = "does not listen"}; }
  std::optional<std::int64_t> next(Firing&) override {
    if (position == 2) {
      entered = true;
      door->wait();
    }
    return position++;
  }
  Door* door;
  std::atomic<bool> entered{false};
  std::int64_t position = 0;
};

TEST(D14, ASourceThatBlocksIsNotWaitedForLongerThanTheStopTimeout) {
  Door door;
  Graph graph;
  auto& source = graph.add<DeafSource>("deaf", door);
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, sink.in);
  RunOptions options;
  options.stop_timeout = std::chrono::milliseconds{20};
  Executor executor{graph, options};
  std::thread run{[&] { EXPECT_EQ(executor.run().outcome.code, 130); }};
  while (!source.entered) {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  EXPECT_EQ(executor.find_stall(), std::nullopt);
  executor.request_stop();
  const std::optional<Outcome> stall = wait_for_stall(executor);
  door.open();
  run.join();
  EXPECT_EQ(stall->code, 130);
  EXPECT_THAT(stall->text, HasSubstr("source 'deaf' has not returned"));
}

/// Waits as a body should: it looks whether the run is stopping.
struct PatientSource final : Source<std::int64_t> {
  PatientSource() : Source{"out", "numbers"} {}
  static StageInfo info() { return {.type = "patient", .summary = "waits for ever, but listens"}; }
  std::optional<std::int64_t> next(Firing& firing) override {
    entered = true;
    while (!firing.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    return std::nullopt;
  }
  std::atomic<bool> entered{false};
};

TEST(D14, ASourceThatListensEndsTheRunWhenItIsAskedTo) {
  Graph graph;
  auto& source = graph.add<PatientSource>("patient");
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, sink.in);
  Executor executor{graph, {}};
  std::thread run{[&] { EXPECT_EQ(executor.run().outcome.code, 130); }};
  while (!source.entered) {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  executor.request_stop();
  run.join();
}

}  // namespace
}  // namespace dflash
