// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "framework/core/error.h"
#include "tests/framework/number_stages.h"

namespace dflash {

/// Passes numbers on and does what a test asks at each point of its life; throws "planted in X" where `fails_in` is X.
struct ProbeStage final : Stage {
  explicit ProbeStage(std::string failing = {}, std::int64_t at_firing = 1)
      : fails_in{std::move(failing)}, fails_at{at_firing} {}
  static StageInfo info() { return {.type = "probe", .summary = "fails where it is told to"}; }
  Input<std::int64_t> in{*this, "in", "numbers"};
  Output<std::int64_t> out{*this, "out", "numbers"};
  void open(const StageEnv& env) override {
    name = env.name;
    note("open");
    fail("open");
  }
  void fire(Firing& firing) override {
    const std::int64_t value = firing.take(in);
    firing.emit(out, value);
    if (on_fire) {
      on_fire(value);
    }
    if (firing.number() == fails_at) {
      fail("fire");
    }
  }
  void drain(Firing&) override {
    note("drain");
    fail("drain");
  }
  void close() noexcept override { note("close"); }
  void save(Snapshot& snapshot) const override { snapshot.values["probe"] = true; }
  bool shares_producers_lane() const override { return shares_lane; }
  void load(const Snapshot&) override { fail("load"); }

  void note(const std::string& event) {
    if (diary != nullptr) {
      diary->push_back(name + " " + event);
    }
  }
  void fail(const std::string& where) const {
    DFLASH_USER_CHECK(fails_in != where || !is_users_fault, "planted in {} by the user", where);
    DFLASH_CHECK(fails_in != where, "planted in {}", where);
  }
  std::string fails_in;
  std::int64_t fails_at;
  bool is_users_fault = false;
  bool shares_lane = false;
  std::function<void(std::int64_t)> on_fire;
  std::vector<std::string>* diary = nullptr;
  std::string name;
};

/// Takes `accumulate` numbers a step and keeps each step's sum; emits it as a metric before the step completes.
struct StepStage final : Stage {
  explicit StepStage(std::int64_t numbers_a_step = 1) : accumulate{numbers_a_step} {}
  static StageInfo info() { return {.type = "step", .summary = "sums", .drives_steps = true}; }
  Input<std::int64_t> in{*this, "in", "numbers"};
  Output<std::int64_t> metrics{*this, "metrics", "sums"};
  void fire(Firing& firing) override {
    const std::int64_t value = firing.take(in);
    seen.push_back(value);
    partial += value;
    if (++held == accumulate) {
      total += partial;
      firing.emit(metrics, partial);
      partial = 0;
      held = 0;
      firing.complete_step(++step);
    }
  }
  void save(Snapshot& snapshot) const override { snapshot.values = {{"step", step}, {"total", total}}; }
  void load(const Snapshot& snapshot) override {
    step = snapshot.values.at("step").get<std::int64_t>();
    total = snapshot.values.at("total").get<std::int64_t>();
  }
  std::int64_t accumulate;
  std::int64_t step = 0;
  std::int64_t total = 0;
  std::int64_t partial = 0;
  std::int64_t held = 0;
  std::vector<std::int64_t> seen;
};

/// Keeps up to `limit` numbers; gives them once `min_ready` are there, first in, first out.
struct NumberQueue : Buffer {
  NumberQueue(std::int64_t at_most, std::int64_t at_least) : limit{at_most}, min_ready{at_least} {}
  static StageInfo info() { return {.type = "number_queue", .summary = "keeps numbers"}; }
  Input<std::int64_t> in{*this, "in", "numbers"};
  Output<std::int64_t> out{*this, "out", "numbers"};
  bool has_room() const override { return size() < limit; }
  bool has_ready(bool ended) const override { return size() >= (ended ? 1 : min_ready); }
  void put(Item item) override { items.push_back(std::move(item)); }
  Item pop() override {
    smallest_at_pop = std::min(smallest_at_pop, size());
    Item item = std::move(items.front());
    items.pop_front();
    return item;
  }
  std::int64_t size() const override { return static_cast<std::int64_t>(items.size()); }
  std::int64_t capacity() const override { return limit; }
  std::int64_t fewest_ready() const override { return min_ready; }
  std::int64_t limit;
  std::int64_t min_ready;
  std::int64_t smallest_at_pop = 1'000'000;
  std::deque<Item> items;
};

/// Emits each number `copies` times in one firing.
struct Repeater final : Stage {
  explicit Repeater(std::int64_t times) : copies{times} {}
  static StageInfo info() { return {.type = "repeater", .summary = "repeats numbers"}; }
  Input<std::int64_t> in{*this, "in", "numbers"};
  Output<std::int64_t> out{*this, "out", "numbers"};
  void fire(Firing& firing) override {
    const std::int64_t value = firing.take(in);
    for (std::int64_t i = 0; i < copies; ++i) {
      firing.emit(out, value * 10 + i);
    }
  }
  std::int64_t copies;
};

/// Sleeps a while for each number.
struct SleepyStage final : Transform<std::int64_t, std::int64_t> {
  explicit SleepyStage(std::chrono::microseconds time, bool shares = false)
      : Transform{"in", "numbers", "out", "numbers"}, pause{time}, shares_lane{shares} {}
  static StageInfo info() { return {.type = "sleepy", .summary = "sleeps", .stateless = true}; }
  std::int64_t transform(std::int64_t value, Firing&) override {
    std::this_thread::sleep_for(pause);
    return value;
  }
  bool shares_producers_lane() const override { return shares_lane; }
  std::chrono::microseconds pause;
  bool shares_lane;
};

}  // namespace dflash
