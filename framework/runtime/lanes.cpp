// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/lanes.h"

#include <atomic>
#include <deque>
#include <numeric>
#include <optional>
#include <utility>

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>

#include "framework/runtime/lane_plan.h"

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

/// Calls the hook once on each thread that enters an arena of this run.
class StartObserver final : public tbb::task_scheduler_observer {
 public:
  StartObserver(tbb::task_arena& arena, std::uint64_t run, const std::function<void()>& started,
                const std::function<void()>& failed)
      : task_scheduler_observer{arena}, run_{run}, started_{&started}, failed_{&failed} {
    publish_to_workers();
    observe(true);
  }
  StartObserver(const StartObserver&) = delete;
  StartObserver& operator=(const StartObserver&) = delete;
  ~StartObserver() override {
    observe(false);
    see_what_is_published();
  }

  void on_scheduler_entry(bool) override {
    thread_local std::uint64_t last_run = 0;
    see_what_is_published();
    if (std::exchange(last_run, run_) != run_) {
      call_hook();
    }
    // At every entry, not only a run's first: the observer's end waits for all of them.
    publish_to_workers();
  }

 private:
  void call_hook() {
    try {
      (*started_)();
    } catch (...) {
      (*failed_)();
    }
  }

  std::uint64_t run_;
  const std::function<void()>* started_;
  const std::function<void()>* failed_;
};

std::uint64_t next_run() {
  static std::atomic<std::uint64_t> runs{0};
  return ++runs;
}

std::size_t threads_of(const LanePlan& plan) {
  return std::accumulate(
      plan.lanes.begin(), plan.lanes.end(), std::size_t{1},
      [](std::size_t sum, const LanePlan::Lane& lane) { return sum + static_cast<std::size_t>(lane.workers); });
}

}  // namespace

/// Wake-ups of the default lane go through one function_node a stage of a flow graph bound to that lane's arena. A flow
/// graph knows one arena only, so wake-ups of other lanes are enqueued there and hold the graph's wait, which keeps one
/// point of quiescence.
class Lanes::Impl {
 public:
  using Node = tbb::flow::function_node<std::size_t>;

  /// What a wake-up of another lane runs. Not a lambda: the thread sanitizer's suppressions can only name a type.
  struct WakeUp {
    void operator()() const {
      see_what_is_published();
      impl->runnables[position]->run();
      impl->graph->release_wait();
    }

    Impl* impl;
    std::size_t position;
  };

  Impl(LanePlan lane_plan, std::function<void()> worker_started, std::function<void()> failed)
      : plan{std::move(lane_plan)},
        started_{std::move(worker_started)},
        failed_{std::move(failed)},
        limit_{tbb::global_control::max_allowed_parallelism, threads_of(plan)},
        runnables(plan.lane_of.size()) {
    const std::uint64_t run = next_run();
    for (const LanePlan::Lane& lane : plan.lanes) {
      // The thread of `wait` takes part in the default lane, as one of its workers.
      arenas.emplace_back(static_cast<int>(lane.workers), arenas.empty() ? 1 : 0);
      if (started_) {
        observers_.emplace_back(arenas.back(), run, started_, failed_);
      }
    }
    arenas.front().execute([this] { graph.emplace(); });
    for (std::size_t i = 0; i < plan.lane_of.size(); ++i) {
      nodes.emplace_back(*graph, tbb::flow::unlimited, [this](std::size_t position) {
        see_what_is_published();
        runnables[position]->run();
      });
    }
  }

  LanePlan plan;

 private:
  std::function<void()> started_;
  std::function<void()> failed_;
  tbb::global_control limit_;

 public:
  std::vector<Runnable*> runnables;
  std::deque<tbb::task_arena> arenas;

 private:
  std::deque<StartObserver> observers_;

 public:
  std::optional<tbb::flow::graph> graph;
  std::deque<Node> nodes;
};

Lanes::Lanes(const Graph& graph, const std::vector<std::size_t>& order, std::function<void()> worker_started,
             std::function<void()> failed)
    : impl_{std::make_unique<Impl>(plan_lanes(graph, order), std::move(worker_started), std::move(failed))} {}

Lanes::~Lanes() = default;

void Lanes::attach(std::size_t position, Runnable& runnable) { impl_->runnables[position] = &runnable; }

void Lanes::publish() { publish_to_workers(); }

void Lanes::post(std::size_t position) {
  const std::size_t lane = impl_->plan.lane_of[position];
  if (lane == 0) {
    impl_->nodes[position].try_put(position);
    return;
  }
  impl_->graph->reserve_wait();
  impl_->arenas[lane].enqueue(Impl::WakeUp{.impl = impl_.get(), .position = position});
}

void Lanes::wait() {
  impl_->graph->wait_for_all();
  // The wait ends inside oneTBB's library, unseen by the thread sanitizer; this takes over every worker's last release
  // again, in the open.
  impl_->graph->reserve_wait();
  impl_->graph->release_wait();
}

int Lanes::burst(std::size_t position) const {
  const LanePlan::Lane& lane = impl_->plan.lanes[impl_->plan.lane_of[position]];
  return lane.workers >= lane.stages ? kBurst : 1;
}

const std::string& Lanes::lane_name(std::size_t position) const {
  return impl_->plan.lanes[impl_->plan.lane_of[position]].name;
}

std::vector<LaneRecord> Lanes::records() const {
  std::vector<LaneRecord> records;
  for (const LanePlan::Lane& lane : impl_->plan.lanes) {
    if (lane.stages > 0) {
      records.push_back({.name = lane.name, .workers = lane.workers});
    }
  }
  return records;
}

}  // namespace dflash
