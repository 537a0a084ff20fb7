// SPDX-License-Identifier: Apache-2.0
#include "stages/queue/hidden_state_queue.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/stage_runner.h"

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// A queue in a runner; `put` numbers its batches 0, 1, ... so that `pop` can say which one left.
class Bench {
 public:
  struct Options {
    std::int64_t min_ready = 1;
    HiddenStateQueue::Order order = HiddenStateQueue::Order::kFifo;
    std::vector<std::int64_t> buckets{};
    std::optional<std::int64_t> bytes{};
  };
  explicit Bench(const Options& options, std::uint64_t seed = 3) {
    queue_.min_ready.set(options.min_ready);
    queue_.capacity_items.set(8);
    queue_.capacity_bytes.set(options.bytes);
    queue_.order.set(options.order);
    queue_.buckets.set(options.buckets);
    runner_ = std::make_unique<StageRunner>(queue_, StageEnv{.name = "queue", .seed = seed});
  }
  void put(std::int64_t rows = 8) {
    DraftBatch batch;
    batch.pack.host_ids.resize(rows);
    batch.pack.tokens = puts_;
    batch.layout.supervised_begin = {0};
    Item item = make_item(std::move(batch));
    item.origin = std::make_shared<Origin>(Origin{{"data", std::to_string(puts_)}});
    ++puts_;
    runner_->feed_item(queue_.in, std::move(item));
    runner_->put();
  }
  void put_many(int count) {
    for (int i = 0; i < count; ++i) {
      put();
    }
  }
  std::int64_t pop(bool ended = false) {
    runner_->pop(ended);
    Item item = std::move(runner_->output_items(queue_.out).at(0));
    origin_ = item.origin != nullptr ? *item.origin : Origin{};
    return take_payload<DraftBatch>(std::move(item)).pack.tokens;
  }
  std::vector<std::int64_t> pop_all(bool ended = true) {
    std::vector<std::int64_t> left;
    while (queue_.has_ready(ended)) {
      left.push_back(pop(ended));
    }
    return left;
  }
  /// What a cut at the last popped batch says of this queue.
  [[nodiscard]] Snapshot snapshot() const { return runner_->save(); }
  /// Goes on from a cut: gives it again what had not left by then, up to batch `count` - 1.
  void go_on_from(const Snapshot& cut, std::int64_t count) {
    runner_->load(cut);
    for (std::int64_t seq = cut.values.at("base_seq").get<std::int64_t>() + 1; seq < count; ++seq) {
      put_again(seq);
    }
  }
  void put_again(std::int64_t seq, std::int64_t rows = 0) {
    DraftBatch batch;
    batch.pack.host_ids.resize(rows);
    batch.pack.tokens = seq;
    batch.layout.supervised_begin = {0};
    Item item = make_item(std::move(batch));
    item.seq = seq;
    item.origin = std::make_shared<Origin>(Origin{{"data", std::to_string(seq)}});
    queue_.put(std::move(item));
  }

  HiddenStateQueue queue_;
  std::unique_ptr<StageRunner> runner_;
  Origin origin_;
  std::int64_t puts_ = 0;
};

TEST(HiddenStateQueue, LetsTheOldestLeaveFirst) {
  Bench bench{{}};
  bench.put_many(3);
  EXPECT_THAT(bench.pop_all(), ElementsAre(0, 1, 2));
}

TEST(HiddenStateQueue, HoldsBackUntilMinReadyAreHeld) {
  Bench bench{{.min_ready = 3}};
  bench.put_many(2);
  EXPECT_FALSE(bench.queue_.has_ready(false));
  EXPECT_TRUE(bench.queue_.has_ready(true));
  bench.put();
  EXPECT_TRUE(bench.queue_.has_ready(false));
}

TEST(HiddenStateQueue, HasNoRoomAtItsCapacity) {
  Bench bench{{}};
  bench.put_many(8);
  EXPECT_FALSE(bench.queue_.has_room());
}

TEST(HiddenStateQueue, LetsGoBelowMinReadyWhenItsBytesAreFull) {
  Bench bench{{.min_ready = 5, .bytes = 300}};
  bench.put();
  EXPECT_FALSE(bench.queue_.has_ready(false));
  bench.put();
  EXPECT_FALSE(bench.queue_.has_room());
  EXPECT_TRUE(bench.queue_.has_ready(false));
}

TEST(HiddenStateQueue, TakesABatchLargerThanItsBytesWhenEmpty) {
  Bench bench{{.bytes = 16}};
  EXPECT_TRUE(bench.queue_.has_room());
  bench.put();
  EXPECT_FALSE(bench.queue_.has_room());
  EXPECT_EQ(bench.pop(), 0);
}

TEST(HiddenStateQueue, ChoosesAmongTheMinReadyOldestWhateverElseIsHeld) {
  Bench few{{.min_ready = 4, .order = HiddenStateQueue::Order::kRandom}};
  Bench many{{.min_ready = 4, .order = HiddenStateQueue::Order::kRandom}};
  few.put_many(4);
  many.put_many(8);
  std::vector<std::int64_t> left;
  for (int i = 0; i < 4; ++i) {
    left.push_back(few.pop());
    EXPECT_EQ(many.pop(), left.back());
    few.put();
  }
  EXPECT_NE(left, (std::vector<std::int64_t>{0, 1, 2, 3}));
}

TEST(HiddenStateQueue, KeepsToOneLengthClassAsLongAsTheOldestHaveIt) {
  Bench bench{{.min_ready = 4, .buckets = {10, 20}}};
  for (const std::int64_t rows : {8, 16, 8, 16, 8}) {
    bench.put(rows);
  }
  EXPECT_THAT(bench.pop_all(), ElementsAre(0, 2, 4, 1, 3));
}

TEST(HiddenStateQueue, DrawsWithinTheLengthClassWhereTheOrderIsRandom) {
  const Bench::Options options{.min_ready = 6, .order = HiddenStateQueue::Order::kRandom, .buckets = {10, 20}};
  std::set<std::int64_t> firsts;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Bench bench{options, seed};
    for (const std::int64_t rows : {8, 16, 8, 16, 8, 16, 8, 8}) {
      bench.put(rows);
    }
    const std::int64_t first = bench.pop();
    EXPECT_THAT(first, testing::AnyOf(0, 2, 4)) << "of the class of the oldest, among the six oldest";
    firsts.insert(first);
  }
  EXPECT_THAT(firsts, ElementsAre(0, 2, 4));
}

TEST(HiddenStateQueue, PassesABatchOverAtMostMinReadyTimes) {
  Bench bench{{.min_ready = 2, .buckets = {10, 20}}};
  bench.put(8);
  bench.put(16);
  EXPECT_EQ(bench.pop(), 0);
  for (const std::int64_t expected : {2, 3, 1}) {
    bench.put(8);
    EXPECT_EQ(bench.pop(), expected);
  }
}

TEST(HiddenStateQueue, ComesBackToTheSameOrderAfterAResume) {
  for (const std::vector<std::int64_t>& buckets : {std::vector<std::int64_t>{}, std::vector<std::int64_t>{10, 20}}) {
    const Bench::Options options{.min_ready = 4, .order = HiddenStateQueue::Order::kRandom, .buckets = buckets};
    Bench whole{options};
    whole.put_many(8);
    std::vector<std::int64_t> left{whole.pop(), whole.pop(), whole.pop()};
    const Snapshot cut = whole.snapshot();
    const std::vector<std::int64_t> rest = whole.pop_all();
    Bench resumed{options};
    resumed.go_on_from(cut, 8);
    EXPECT_EQ(resumed.pop_all(), rest);
  }
}

TEST(HiddenStateQueue, ForgetsNothingOfACutBeforeItsBatchesHaveComeAgain) {
  for (const auto& options : {Bench::Options{.min_ready = 4, .order = HiddenStateQueue::Order::kRandom},
                              Bench::Options{.min_ready = 4, .buckets = {10, 20}}}) {
    Bench whole{options};
    for (const std::int64_t rows : {8, 16, 8, 16, 8, 8, 16, 8}) {
      whole.put(rows);
    }
    (void)whole.pop();
    (void)whole.pop();
    const Snapshot first = whole.snapshot();
    Bench resumed{options};
    resumed.runner_->load(first);
    EXPECT_EQ(resumed.snapshot().values, first.values);
  }
}

TEST(HiddenStateQueue, GivesNoOriginWhileAnOlderBatchIsLeftBehindFromTheBeginning) {
  Bench bench{{.min_ready = 2, .buckets = {10, 20}}};
  bench.runner_->load({.values = {{"pops", 5},
                                  {"last_bucket", 0},
                                  {"base_seq", 4},
                                  {"left_early", Json::array()},
                                  {"passed_over", Json::array()}},
                       .folder = {}});
  bench.put_again(5, 16);
  bench.put_again(6, 8);
  EXPECT_EQ(bench.pop(), 6);
  EXPECT_TRUE(bench.origin_.empty());
}

TEST(HiddenStateQueue, GivesTheOriginBeforeWhichNothingIsLeftBehind) {
  Bench bench{{.min_ready = 2, .buckets = {10, 20}}};
  bench.put(8);
  bench.put(16);
  EXPECT_EQ(bench.pop(), 0);
  bench.put(8);
  EXPECT_EQ(bench.pop(), 2);
  EXPECT_EQ(bench.origin_.at("data"), "0");
  EXPECT_THAT(bench.snapshot().values.at("left_early"), ElementsAre(2));
}

TEST(HiddenStateQueue, RefusesAMinReadyAboveItsCapacity) {
  HiddenStateQueue queue;
  queue.capacity_items.set(4);
  queue.min_ready.set(5);
  EXPECT_THAT([&] { StageRunner runner{queue}; },
              ThrowsMessage<UserError>(HasSubstr("/min_ready: found 5, allowed: from 1 to the capacity, which is 4")));
}

}  // namespace
}  // namespace dflash
