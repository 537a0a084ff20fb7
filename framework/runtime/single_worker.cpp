// SPDX-License-Identifier: Apache-2.0
#include <condition_variable>
#include <mutex>

#include "framework/core/counter_random.h"
#include "framework/runtime/lanes.h"

namespace dflash {
namespace {

/// Between two runs no run is under way, so whatever order the seed draws, oneTBB's workers could have taken too.
class SingleWorker final : public Lanes {
 public:
  SingleWorker(LanePlan plan, WorkerHooks hooks, std::uint64_t seed)
      : Lanes{on_one_lane(std::move(plan))}, hooks_{std::move(hooks)}, seed_{seed} {}

  void publish() override {}

  void post(std::size_t position) override {
    {
      const std::lock_guard lock{mutex_};
      scheduled_.push_back(position);
    }
    changed_.notify_one();
  }

  void wait() override {
    start();
    while (const std::optional<std::size_t> position = draw()) {
      runnables_[*position]->run();
    }
  }

  void hold() override {
    const std::lock_guard lock{mutex_};
    ++held_;
  }

  /// Notifies under the lock: `wait` may return, and this may be gone, as soon as that is free.
  void release() override {
    const std::lock_guard lock{mutex_};
    --held_;
    changed_.notify_one();
  }

  [[nodiscard]] int burst(std::size_t) const override { return 1; }

 private:
  static LanePlan on_one_lane(LanePlan plan) {
    std::int64_t stages = 0;
    for (const LanePlan::Lane& lane : plan.lanes) {
      stages += lane.stages;
    }
    plan.lanes = {{.name = "single worker", .stages = stages, .workers = 1}};
    plan.lane_of.assign(plan.lane_of.size(), 0);
    return plan;
  }

  void start() {
    if (has_started_ || !hooks_.started) {
      return;
    }
    has_started_ = true;
    try {
      hooks_.started();
    } catch (...) {
      hooks_.failed();
    }
  }

  std::optional<std::size_t> draw() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return !scheduled_.empty() || held_ == 0; });
    if (scheduled_.empty()) {
      return std::nullopt;
    }
    const std::uint64_t number = counter_random(seed_, {draws_++});
    const std::size_t index = number % scheduled_.size();
    std::swap(scheduled_[index], scheduled_.back());
    const std::size_t position = scheduled_.back();
    scheduled_.pop_back();
    return position;
  }

  WorkerHooks hooks_;
  std::uint64_t seed_;
  std::uint64_t draws_ = 0;
  bool has_started_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::size_t> scheduled_;
  std::int64_t held_ = 0;
};

}  // namespace

std::unique_ptr<Lanes> make_single_worker(LanePlan plan, WorkerHooks hooks, std::uint64_t seed) {
  return std::make_unique<SingleWorker>(std::move(plan), std::move(hooks), seed);
}

}  // namespace dflash
