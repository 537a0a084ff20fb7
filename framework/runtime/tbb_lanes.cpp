// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <deque>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>

#include "framework/runtime/lane_thread.h"
#include "framework/runtime/lanes.h"
#include "framework/telemetry/thread_name.h"

namespace dflash {
namespace {

constexpr int kBurst = 32;

/// oneTBB orders what it hands from thread to thread; this says so once more in terms that the thread sanitizer sees,
/// which knows nothing of a library built without it. One for all runs and made before the program starts, so that
/// looking at it needs no hand-over itself.
std::atomic<std::uint64_t>& hand_over() {
  static constinit std::atomic<std::uint64_t> count{0};
  return count;
}

void publish_to_workers() { hand_over().fetch_add(1, std::memory_order_acq_rel); }
void see_what_is_published() { (void)hand_over().load(std::memory_order_acquire); }

void call_started(const WorkerHooks& hooks) {
  if (!hooks.started) {
    return;
  }
  try {
    hooks.started();
  } catch (...) {
    hooks.failed();
  }
}

/// Gives each thread that enters an arena of this run the name of its lane, and calls the hook once on it.
class StartObserver final : public tbb::task_scheduler_observer {
 public:
  StartObserver(tbb::task_arena& arena, std::string lane, std::uint64_t run, const WorkerHooks& hooks)
      : task_scheduler_observer{arena}, lane_{std::move(lane)}, run_{run}, hooks_{&hooks} {
    publish_to_workers();
    observe(true);
  }
  StartObserver(const StartObserver&) = delete;
  StartObserver& operator=(const StartObserver&) = delete;
  ~StartObserver() override {
    observe(false);
    see_what_is_published();
  }

  void on_scheduler_entry(bool is_worker) override {
    thread_local std::uint64_t last_run = 0;
    see_what_is_published();
    if (is_worker) {  // the thread of `wait` keeps its own name
      name_this_thread(lane_);
    }
    if (std::exchange(last_run, run_) != run_) {
      call_started(*hooks_);
    }
    // At every entry, not only a run's first: the observer's end waits for all of them.
    publish_to_workers();
  }

 private:
  std::string lane_;
  std::uint64_t run_;
  const WorkerHooks* hooks_;
};

std::uint64_t next_run() {
  static std::atomic<std::uint64_t> runs{0};
  return ++runs;
}

std::size_t threads_of(const LanePlan& plan) {
  return std::accumulate(plan.lanes.begin(), plan.lanes.end(), std::size_t{1},
                         [](std::size_t sum, const LanePlan::Lane& lane) {
                           return sum + (lane.has_own_thread ? 0 : static_cast<std::size_t>(lane.workers));
                         });
}

}  // namespace

/// Wake-ups of the default lane go through one function_node a stage of a flow graph bound to that lane's arena. A flow
/// graph knows one arena only, so wake-ups of other lanes are enqueued there, or go to the lane's own thread, and hold
/// the graph's wait, which keeps one point of quiescence.
class TbbLanes final : public Lanes {
 public:
  TbbLanes(LanePlan plan, WorkerHooks hooks)
      : Lanes{std::move(plan)},
        hooks_{std::move(hooks)},
        limit_{tbb::global_control::max_allowed_parallelism, threads_of(plan_)} {
    const std::uint64_t run = next_run();
    for (const LanePlan::Lane& lane : plan_.lanes) {
      // The thread of `wait` takes part in the default lane, as one of its workers.
      arenas_.emplace_back(static_cast<int>(lane.workers), arenas_.empty() ? 1 : 0);
      observers_.emplace_back(arenas_.back(), lane.name, run, hooks_);
      threads_.push_back(lane.has_own_thread ? make_thread(lane.name) : nullptr);
    }
    arenas_.front().execute([this] { graph_.emplace(); });
    for (std::size_t i = 0; i < plan_.lane_of.size(); ++i) {
      nodes_.emplace_back(*graph_, tbb::flow::unlimited, [this](std::size_t position) {
        see_what_is_published();
        runnables_[position]->run();
      });
    }
  }

  void publish() override { publish_to_workers(); }

  void post(std::size_t position) override {
    const std::size_t lane = plan_.lane_of[position];
    if (lane == 0) {
      nodes_[position].try_put(position);
      return;
    }
    graph_->reserve_wait();
    if (threads_[lane] != nullptr) {
      threads_[lane]->post(position);
    } else {
      arenas_[lane].enqueue(WakeUp{.lanes = this, .position = position});
    }
  }

  void hold() override { graph_->reserve_wait(); }
  void release() override { graph_->release_wait(); }

  void wait() override {
    graph_->wait_for_all();
    // The wait ends inside oneTBB's library, unseen by the thread sanitizer; this takes over every worker's last
    // release again, in the open.
    graph_->reserve_wait();
    graph_->release_wait();
  }

  [[nodiscard]] int burst(std::size_t position) const override {
    const LanePlan::Lane& lane = plan_.lanes[plan_.lane_of[position]];
    return lane.workers >= lane.stages ? kBurst : 1;
  }

 private:
  using Node = tbb::flow::function_node<std::size_t>;

  /// What a wake-up of another lane runs. Neither a lambda nor in an unnamed namespace: a suppression of the thread
  /// sanitizer needs a name.
  struct WakeUp {
    void operator()() const {
      see_what_is_published();
      lanes->runnables_[position]->run();
      lanes->graph_->release_wait();
    }

    TbbLanes* lanes;
    std::size_t position;
  };

  std::unique_ptr<LaneThread> make_thread(const std::string& name) {
    return std::make_unique<LaneThread>(
        name, [this] { call_started(hooks_); },
        [this](std::size_t position) { WakeUp{.lanes = this, .position = position}(); });
  }

  WorkerHooks hooks_;
  tbb::global_control limit_;
  std::deque<tbb::task_arena> arenas_;
  std::deque<StartObserver> observers_;
  std::optional<tbb::flow::graph> graph_;
  std::deque<Node> nodes_;
  std::vector<std::unique_ptr<LaneThread>> threads_;  // by lane; last, so that they end before what they use
};

std::unique_ptr<Lanes> make_tbb_lanes(LanePlan plan, WorkerHooks hooks) {
  return std::make_unique<TbbLanes>(std::move(plan), std::move(hooks));
}

}  // namespace dflash
