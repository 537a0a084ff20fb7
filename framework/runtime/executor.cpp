// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/executor.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "framework/core/error.h"
#include "framework/runtime/cut_file.h"
#include "framework/runtime/lanes.h"
#include "framework/runtime/run_devices.h"
#include "framework/runtime/run_network.h"
#include "framework/runtime/run_state.h"
#include "framework/runtime/run_timeline.h"
#include "framework/runtime/stage_life.h"
#include "framework/runtime/stall_watch.h"
#include "framework/runtime/stamp_cost.h"

namespace dflash {

class Executor::Impl {
 public:
  Impl(Graph& graph, RunOptions options) : graph_{&graph}, options_{std::move(options)}, state_{options_} {}

  RunRecord run();
  void request_stop() { state_.request_stop(); }
  void request_stop_at_once() { state_.request_stop_at_once(); }
  LiveStatus live_status();
  std::optional<Outcome> find_stall();

 private:
  void check() const;
  [[nodiscard]] std::unique_ptr<Lanes> make_lanes(const std::vector<std::size_t>& order);
  void flow(RunNetwork& network, Lanes& lanes);
  void call_drained(RunNetwork& network);
  [[nodiscard]] Outcome outcome(const RunNetwork& network) const;
  void watch(RunNetwork* network);

  Graph* graph_;
  RunOptions options_;
  RunState state_;
  bool has_run_ = false;
  bool is_deadlocked_ = false;

  std::mutex live_mutex_;
  RunNetwork* live_ = nullptr;
  std::int64_t last_look_ = 0;
  std::vector<std::int64_t> last_busy_;
};

void Executor::Impl::check() const {
  const std::vector<std::string> problems = graph_->problems();
  DFLASH_USER_CHECK(problems.empty(), "the graph cannot run: {}", fmt::join(problems, "; "));
}

std::unique_ptr<Lanes> Executor::Impl::make_lanes(const std::vector<std::size_t>& order) {
  WorkerHooks hooks{.started = options_.worker_started,
                    .failed = [this] { state_.fail_with_current_exception("worker", "start", 0); }};
  LanePlan plan = plan_lanes(*graph_, order, options_.device);
  return options_.order_seed ? make_single_worker(std::move(plan), std::move(hooks), *options_.order_seed)
                             : make_tbb_lanes(std::move(plan), std::move(hooks));
}

RunRecord Executor::Impl::run() {
  DFLASH_CHECK(!std::exchange(has_run_, true), "an executor runs once");
  check();
  const std::vector<std::size_t> order = graph_->topological_order();
  const Cut cut = options_.resume_from.empty() ? Cut{} : read_cut(options_.resume_from);
  const std::unique_ptr<Lanes> lanes_made = make_lanes(order);
  Lanes& lanes = *lanes_made;
  StageLife life{*graph_, options_};
  if (!options_.checked) {
    life.check();
  }
  RunDevices devices{*graph_, options_.device, state_};
  life.open(order);
  life.load(cut);
  devices.synchronize();
  if (options_.opened) {
    options_.opened();
  }
  RunNetwork network{*graph_, order, state_, devices};
  network.place(lanes);
  network.start(cut);
  state_.on_finishing([&network] { network.wake_all(); });
  state_.on_settled([&network] { network.step_driver()->wake(); });
  watch(&network);
  lanes.publish();
  flow(network, lanes);
  watch(nullptr);
  RunRecord record;
  network.write(record, lanes);
  record.devices = devices.records();
  record.stamp_cost_ns = state_.instrument() ? stamp_cost_ns() : 0;
  record.timeline = run_timeline(network, lanes, state_, devices, record.wall_ns);
  call_drained(network);
  life.close();
  record.steps = state_.steps();
  record.outcome = outcome(network);
  for (const RunState::Failure& failure : state_.failures()) {
    record.errors.push_back(failure.message);
  }
  return record;
}

void Executor::Impl::flow(RunNetwork& network, Lanes& lanes) {
  if (state_.reached_steps()) {
    state_.finish();
  } else {
    network.wake_all();
  }
  do {
    lanes.wait();
  } while (state_.give_up_settling());
  if (state_.phase() == RunState::Phase::kStopping && network.step_driver() != nullptr) {
    // Nothing was left that could have reached another step.
    state_.finish();
    lanes.wait();
  }
  network.settle();
  is_deadlocked_ = !network.has_ended() &&
                   (state_.phase() == RunState::Phase::kRunning || state_.phase() == RunState::Phase::kFinishing);
}

void Executor::Impl::call_drained(RunNetwork& network) {
  if (!options_.drained || is_deadlocked_ || state_.steps() == 0 || state_.phase() == RunState::Phase::kAborted) {
    return;
  }
  StageDriver& driver = *network.step_driver();
  try {
    options_.drained(state_.last_step(),
                     [&driver](const std::filesystem::path& folder) { driver.origins().save_cut(folder); });
  } catch (...) {
    state_.fail_with_current_exception(driver.vertex().name, "last checkpoint", 0);
  }
}

Outcome Executor::Impl::outcome(const RunNetwork& network) const {
  const std::vector<RunState::Failure> failures = state_.failures();
  if (!failures.empty()) {
    return {.code = failures.front().caused_by_user ? 2 : 1, .text = failures.front().message};
  }
  if (is_deadlocked_) {
    return {.code = 3, .text = "deadlock: " + network.deadlock_text()};
  }
  if (state_.was_stopped_at_once()) {
    return {.code = 130, .text = fmt::format("interrupted at once after step {}", state_.last_step())};
  }
  if (state_.was_stopped_by_request() && !state_.reached_steps()) {
    return {.code = 130, .text = fmt::format("interrupted after step {}", state_.last_step())};
  }
  if (options_.steps > 0 && !state_.reached_steps()) {
    return {.code = 0,
            .text = fmt::format("done: the sources ended after step {} of {}", state_.last_step(), options_.steps)};
  }
  return {};
}

void Executor::Impl::watch(RunNetwork* network) {
  const std::lock_guard lock{live_mutex_};
  live_ = network;
  last_look_ = network != nullptr ? network->started_at() : 0;
  last_busy_.assign(graph_->vertices().size(), 0);
}

LiveStatus Executor::Impl::live_status() {
  const std::lock_guard lock{live_mutex_};
  LiveStatus status{.steps = state_.steps()};
  if (live_ == nullptr || !options_.instrument) {
    return status;
  }
  const std::int64_t now = state_.now();
  const std::int64_t passed = std::max<std::int64_t>(now - std::exchange(last_look_, now), 1);
  for (std::size_t i = 0; i < last_busy_.size(); ++i) {
    const StageDriver& driver = *live_->drivers()[i];
    const std::int64_t busy = driver.live_busy(now);
    const double share = std::clamp(
        static_cast<double>(busy - std::exchange(last_busy_[i], busy)) / static_cast<double>(passed), 0.0, 1.0);
    if (status.busiest_stage.empty() || share > status.busiest_share) {
      status.busiest_stage = driver.vertex().name;
      status.busiest_share = share;
    }
  }
  return status;
}

std::optional<Outcome> Executor::Impl::find_stall() {
  const std::lock_guard lock{live_mutex_};
  if (live_ == nullptr || !options_.instrument) {
    return std::nullopt;
  }
  return dflash::find_stall(
      *live_, state_,
      {.firing_ns = options_.stall_timeout.count(), .source_after_stop_ns = options_.stop_timeout.count()});
}

Executor::Executor(Graph& graph, RunOptions options) : impl_{std::make_unique<Impl>(graph, std::move(options))} {}
Executor::~Executor() = default;
RunRecord Executor::run() { return impl_->run(); }
void Executor::request_stop() { impl_->request_stop(); }
void Executor::request_stop_at_once() { impl_->request_stop_at_once(); }
LiveStatus Executor::live_status() { return impl_->live_status(); }
std::optional<Outcome> Executor::find_stall() { return impl_->find_stall(); }

}  // namespace dflash
