// SPDX-License-Identifier: Apache-2.0
#include "framework/core/stage_runner.h"

#include <algorithm>
#include <chrono>

#include "framework/core/diagnostics.h"
#include "framework/core/error.h"
#include "framework/core/graph_mistakes.h"
#include "framework/core/stage_check.h"

namespace dflash {

class StageRunner::RunnerFiring final : public Firing {
 public:
  RunnerFiring(StageRunner& runner, std::vector<Item> inputs) : runner_{&runner}, inputs_{std::move(inputs)} {}

  Item take_item(const InputPort& port) override {
    DFLASH_CHECK(&port.stage() == runner_->stage_, "input '{}' belongs to another stage", port.name());
    DFLASH_CHECK(!inputs_.empty(), "input '{}': there are no inputs in drain", port.name());
    Item& item = inputs_[port.index()];
    DFLASH_CHECK(item.payload != nullptr, "input '{}' was taken already", port.name());
    return std::move(item);
  }
  void emit_item(const OutputPort& port, Item item) override {
    DFLASH_CHECK(&port.stage() == runner_->stage_, "output '{}' belongs to another stage", port.name());
    DFLASH_CHECK(item.type != nullptr && item.type->name == port.type().name, "output '{}' gives '{}'", port.name(),
                 port.type().name);
    staged.emplace_back(port.index(), std::move(item));
  }
  std::int64_t number() const override { return runner_->firings_; }
  void end_of_stream() override { ended = true; }
  bool stop_requested() const override { return runner_->stop_requested_; }
  void complete_step(std::int64_t step) override {
    runner_->completed_steps_.push_back(step);
    if (runner_->on_step_) {
      runner_->on_step_(step);
    }
  }
  void count(std::string_view name, std::int64_t amount) override { runner_->counters_[std::string{name}] += amount; }
  void begin_span(std::string_view name) override { open_spans_.emplace_back(name, Clock::now()); }
  void end_span() override {
    DFLASH_CHECK(!open_spans_.empty(), "no span is open");
    const auto& [name, start] = open_spans_.back();
    SpanTotal& total = runner_->spans_[name];
    ++total.count;
    total.ns += std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
    open_spans_.pop_back();
  }

  std::vector<std::pair<std::size_t, Item>> staged;
  bool ended = false;

 private:
  using Clock = std::chrono::steady_clock;

  StageRunner* runner_;
  std::vector<Item> inputs_;
  std::vector<std::pair<std::string, Clock::time_point>> open_spans_;
};

StageRunner::StageRunner(Stage& stage, StageEnv env)
    : stage_{&stage},
      env_{std::move(env)},
      fed_(stage.inputs().size()),
      emitted_(stage.outputs().size()),
      next_seq_(stage.outputs().size()),
      fed_seq_(stage.inputs().size()) {
  env_.name = env_.name.empty() ? "stage" : env_.name;
  env_.device = env_.device.empty() ? "cpu" : env_.device;
  env_.resources = env_.resources == nullptr ? &own_resources_ : env_.resources;
  env_.log = env_.log == nullptr ? &own_log_ : env_.log;
  check();
  try {
    stage_->open(env_);
  } catch (...) {
    stage_->close();
    throw;
  }
}

StageRunner::~StageRunner() { stage_->close(); }

void StageRunner::check() const {
  Diagnostics diagnostics;
  GraphMistakes mistakes{diagnostics};
  StageCheck stage_check{env_, *stage_, nullptr, mistakes};
  stage_->check(stage_check);
  diagnostics.throw_if_any();
}

void StageRunner::feed_item(const InputPort& port, Item item) {
  DFLASH_CHECK(&port.stage() == stage_, "input '{}' belongs to another stage", port.name());
  item.seq = fed_seq_[port.index()]++;
  fed_[port.index()].push_back(std::move(item));
}

bool StageRunner::inputs_ready() const {
  return std::ranges::none_of(fed_, [](const std::deque<Item>& items) { return items.empty(); });
}

void StageRunner::fire() {
  DFLASH_CHECK(inputs_ready(), "stage '{}': an input has not been fed", env_.name);
  std::vector<Item> inputs;
  for (std::deque<Item>& items : fed_) {
    inputs.push_back(std::move(items.front()));
    items.pop_front();
  }
  ++firings_;
  RunnerFiring firing{*this, std::move(inputs)};
  stage_->fire(firing);
  commit(firing);
}

std::int64_t StageRunner::run_until_end(std::int64_t max_firings) {
  std::int64_t fired = 0;
  while (fired < max_firings && !ended_ && inputs_ready()) {
    fire();
    ++fired;
  }
  return fired;
}

void StageRunner::drain() {
  RunnerFiring firing{*this, {}};
  stage_->drain(firing);
  commit(firing);
}

void StageRunner::put() {
  auto* buffer = dynamic_cast<Buffer*>(stage_);
  DFLASH_CHECK(buffer != nullptr, "stage '{}' is not a buffer", env_.name);
  DFLASH_CHECK(inputs_ready(), "stage '{}': its input has not been fed", env_.name);
  DFLASH_CHECK(buffer->has_room(), "stage '{}' has no room", env_.name);
  Item item = std::move(fed_[0].front());
  fed_[0].pop_front();
  buffer->put(std::move(item));
}

void StageRunner::pop(bool ended) {
  auto* buffer = dynamic_cast<Buffer*>(stage_);
  DFLASH_CHECK(buffer != nullptr, "stage '{}' is not a buffer", env_.name);
  DFLASH_CHECK(buffer->has_ready(ended), "stage '{}' has nothing ready", env_.name);
  Item item = buffer->pop();
  item.seq = next_seq_[0]++;
  emitted_[0].push_back(std::move(item));
}

void StageRunner::commit(RunnerFiring& firing) {
  ended_ = ended_ || firing.ended;
  for (auto& [port, item] : firing.staged) {
    item.seq = next_seq_[port]++;
    emitted_[port].push_back(std::move(item));
  }
}

std::vector<Item> StageRunner::output_items(const OutputPort& port) {
  DFLASH_CHECK(&port.stage() == stage_, "output '{}' belongs to another stage", port.name());
  return std::exchange(emitted_[port.index()], {});
}

Snapshot StageRunner::save(const std::filesystem::path& folder) const {
  Snapshot snapshot;
  snapshot.folder = folder;
  stage_->save(snapshot);
  snapshot.values = Json::parse(snapshot.values.dump());
  return snapshot;
}

void StageRunner::load(const Snapshot& snapshot) { stage_->load(snapshot); }

}  // namespace dflash
