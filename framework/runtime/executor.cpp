// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/executor.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "framework/core/error.h"
#include "framework/core/exit_code.h"
#include "framework/device/accelerator.h"
#include "framework/runtime/cut_file.h"
#include "framework/runtime/lanes.h"
#include "framework/runtime/live_look.h"
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
  LiveView live_view();
  std::optional<Outcome> find_stall();

 private:
  void check() const;
  [[nodiscard]] std::unique_ptr<Lanes> make_lanes(const std::vector<std::size_t>& order);
  void flow(RunNetwork& network, Lanes& lanes);
  void call_drained(RunNetwork& network);
  [[nodiscard]] Outcome outcome(const RunNetwork& network) const;
  /// From now on the run is looked at there.
  void show(RunNetwork& network, RunDevices& devices);
  /// From now on as it was last.
  void hide();
  const LiveView& look();

  Graph* graph_;
  RunOptions options_;
  RunState state_;
  bool has_run_ = false;
  bool is_deadlocked_ = false;

  std::mutex live_mutex_;
  RunNetwork* live_network_ = nullptr;
  RunDevices* live_devices_ = nullptr;
  LiveView last_view_;
};

void Executor::Impl::check() const {
  const std::vector<std::string> problems = graph_->problems();
  DFLASH_USER_CHECK(problems.empty(), "the graph cannot run: {}", fmt::join(problems, "; "));
}

std::unique_ptr<Lanes> Executor::Impl::make_lanes(const std::vector<std::size_t>& order) {
  WorkerHooks hooks{.started =
                        [this] {
                          adopt_worker_thread();
                          if (options_.worker_started) {
                            options_.worker_started();
                          }
                        },
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
  show(network, devices);
  lanes.publish();
  flow(network, lanes);
  hide();
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
    return {.code = failures.front().caused_by_user ? ExitCode::kUserError : ExitCode::kStageFailed,
            .text = failures.front().message};
  }
  if (is_deadlocked_) {
    return {.code = ExitCode::kStalled, .text = "deadlock: " + network.deadlock_text()};
  }
  if (state_.was_stopped_at_once()) {
    return {.code = ExitCode::kInterrupted,
            .text = fmt::format("interrupted at once after step {}", state_.last_step())};
  }
  if (state_.was_stopped_by_request() && !state_.reached_steps()) {
    return {.code = ExitCode::kInterrupted, .text = fmt::format("interrupted after step {}", state_.last_step())};
  }
  if (options_.steps > 0 && !state_.reached_steps()) {
    return {.code = 0,
            .text = fmt::format("done: the sources ended after step {} of {}", state_.last_step(), options_.steps)};
  }
  return {};
}

void Executor::Impl::show(RunNetwork& network, RunDevices& devices) {
  const std::lock_guard lock{live_mutex_};
  live_network_ = &network;
  live_devices_ = &devices;
}

void Executor::Impl::hide() {
  const std::lock_guard lock{live_mutex_};
  look();
  live_network_ = nullptr;
  live_devices_ = nullptr;
}

/// Under the lock, which keeps what is looked at from being torn down.
const LiveView& Executor::Impl::look() {
  if (live_network_ != nullptr) {
    LiveView view = live_look(*live_network_, *live_devices_, state_);
    keep_rising(last_view_, view);
    last_view_ = std::move(view);
  }
  last_view_.is_under_way = live_network_ != nullptr;
  last_view_.steps = state_.steps();
  return last_view_;
}

LiveView Executor::Impl::live_view() {
  const std::lock_guard lock{live_mutex_};
  return look();
}

std::optional<Outcome> Executor::Impl::find_stall() {
  const std::lock_guard lock{live_mutex_};
  if (live_network_ == nullptr || !options_.instrument) {
    return std::nullopt;
  }
  return dflash::find_stall(
      *live_network_, state_,
      {.firing_ns = options_.stall_timeout.count(), .source_after_stop_ns = options_.stop_timeout.count()});
}

Executor::Executor(Graph& graph, RunOptions options) : impl_{std::make_unique<Impl>(graph, std::move(options))} {}
Executor::~Executor() = default;
RunRecord Executor::run() { return impl_->run(); }
void Executor::request_stop() { impl_->request_stop(); }
void Executor::request_stop_at_once() { impl_->request_stop_at_once(); }
LiveView Executor::live_view() { return impl_->live_view(); }
std::optional<Outcome> Executor::find_stall() { return impl_->find_stall(); }

}  // namespace dflash
