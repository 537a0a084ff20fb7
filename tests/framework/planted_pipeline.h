// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "framework/runtime/executor.h"
#include "tests/framework/test_stages.h"

namespace dflash {

constexpr std::int64_t kItems = 80;

/// Makes a number each `pause`.
struct SleepySource final : Source<std::int64_t> {
  explicit SleepySource(std::chrono::microseconds time) : Source{"out", "numbers"}, pause{time} {}
  static StageInfo info() { return {.type = "sleepy_source", .summary = "counts slowly"}; }
  std::optional<std::int64_t> next(Firing&) override {
    if (position == kItems) {
      return std::nullopt;
    }
    std::this_thread::sleep_for(pause);
    return position++;
  }
  std::chrono::microseconds pause;
  std::int64_t position = 0;
};

/// Takes a number each `pause`.
struct SleepySink final : Stage {
  explicit SleepySink(std::chrono::microseconds time) : pause{time} {}
  static StageInfo info() { return {.type = "sleepy_sink", .summary = "takes slowly"}; }
  Input<std::int64_t> in{*this, "in", "numbers"};
  void fire(Firing& firing) override {
    (void)firing.take(in);
    std::this_thread::sleep_for(pause);
  }
  std::chrono::microseconds pause;
};

/// A graph whose bodies sleep for known times.
class PlantedPipeline {
 public:
  SleepySource& source(const std::string& name, std::chrono::microseconds pause) {
    return note(name, pause, graph.add<SleepySource>(name, pause));
  }
  SleepySink& sink(const std::string& name, std::chrono::microseconds pause) {
    return note(name, pause, graph.add<SleepySink>(name, pause));
  }
  SleepyStage& stage(const std::string& name, std::chrono::microseconds pause, std::int64_t replicas = 1,
                     bool shares = false) {
    Placement placement;
    placement.replicas = replicas;
    auto owned = std::make_unique<SleepyStage>(pause, shares);
    SleepyStage& made = *owned;
    graph.add_stage(name, SleepyStage::info(), std::move(owned), std::move(placement));
    return note(name, pause, made);
  }
  template <class T>
  T& note(const std::string& name, std::chrono::microseconds pause, T& stage) {
    pauses_[name] = pause;
    return stage;
  }
  /// False where the machine was so busy that bodies slept much longer than planted, or ready stages found no
  /// processor: then the run is not the pipeline that a test planted.
  [[nodiscard]] bool ran_as_planted(const RunRecord& record) const {
    return std::ranges::all_of(record.stages, [&](const StageRecord& stage) {
      const auto pause = pauses_.find(stage.name);
      const double planted = pause == pauses_.end() ? 0.0 : 1000.0 * static_cast<double>(pause->second.count());
      const bool was_late = !may_wait_for_workers && stage.dispatch_ns > stage.slots * record.wall_ns / 6;
      return stage.service.mean() <= 1.15 * planted + 100'000.0 &&
             static_cast<double>(stage.service.quantile(0.9)) <= 1.3 * planted + 200'000.0 && !was_late;
    });
  }

  Graph graph;
  RunOptions options;
  bool may_wait_for_workers = false;  // planted too

 private:
  std::map<std::string, std::chrono::microseconds> pauses_;
};

}  // namespace dflash
