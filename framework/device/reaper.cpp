// SPDX-License-Identifier: Apache-2.0
#include "framework/device/reaper.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "framework/core/error.h"
#include "framework/telemetry/steady_clock.h"

namespace dflash {
namespace {

// Between two looks while work is pending: short after something was done, longer while nothing is.
constexpr std::chrono::microseconds kShortNap{20};
constexpr std::chrono::microseconds kLongNap{200};

constexpr std::size_t kMostPieces = 8192;  // of busy time; spans come at most a few firings out of order

}  // namespace

Reaper::Reaper(std::string device, Accelerator& accelerator, std::function<void(const Fault&)> faulted)
    : device_{std::move(device)}, accelerator_{accelerator}, faulted_{std::move(faulted)}, thread_{[this] { run(); }} {}

Reaper::~Reaper() {
  {
    const std::lock_guard lock{mutex_};
    is_stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Reaper::add(Launch launch) {
  {
    const std::lock_guard lock{mutex_};
    added_.push_back(std::move(launch));
  }
  changed_.notify_one();
}

DeviceRecord Reaper::record() {
  const AcceleratorUsage usage = accelerator_.usage();
  const std::lock_guard lock{spans_mutex_};
  return {.name = device_,
          .firings = launches_,
          .busy_ns = spans_.covered(),
          .span_ns = spans_.sum(),
          .memory_high_bytes = usage.memory_high_bytes,
          .allocations = usage.allocations,
          .host_waits = usage.host_waits};
}

void Reaper::run() {
  auto nap = kShortNap;
  while (take_new(pending_.empty())) {
    if (look()) {
      nap = kShortNap;
      continue;
    }
    if (!pending_.empty()) {
      std::this_thread::sleep_for(nap);
      nap = std::min(nap * 2, kLongNap);
    }
  }
}

bool Reaper::take_new(bool may_sleep) {
  std::unique_lock lock{mutex_};
  if (may_sleep) {
    changed_.wait(lock, [this] { return !added_.empty() || is_stopping_; });
  }
  for (Launch& launch : added_) {
    pending_[launch.stream].push_back(std::move(launch));
  }
  added_.clear();
  return !is_stopping_ || !pending_.empty();
}

bool Reaper::look() {
  bool any = false;
  try {
    for (auto stream = pending_.begin(); stream != pending_.end();) {
      std::deque<Launch>& launches = stream->second;
      while (!launches.empty() && !has_faulted_) {
        Launch& first = launches.front();
        if (first.completion == nullptr) {
          throw DeviceError(accelerator_.fault());
        }
        if (!accelerator_.has_happened(first.completion->event())) {
          break;
        }
        finish(first);
        launches.pop_front();
        any = true;
      }
      stream = launches.empty() ? pending_.erase(stream) : std::next(stream);
    }
  } catch (const std::exception& error) {
    has_faulted_ = true;
    const std::string fault = accelerator_.fault();
    fault_ = fault.empty() ? error.what() : fault;
  }
  if (has_faulted_) {
    fail_all();
    return true;
  }
  return any;
}

void Reaper::finish(Launch& launch) {
  const DeviceSpan span{.begin = accelerator_.time_of(*launch.begin),
                        .end = accelerator_.time_of(launch.completion->event())};
  {
    const std::lock_guard lock{spans_mutex_};
    spans_.add(span.begin, span.end);
    launches_ += launch.firing > 0 ? 1 : 0;
    if (spans_.pieces() > kMostPieces) {
      spans_.settle_all_but(kMostPieces / 2);
    }
  }
  launch.completion->finish(steady_now_ns());
  launch.done(&span);
}

bool Reaper::was_under_way(const Launch& launch) {
  return accelerator_.happened_before_fault(*launch.begin) &&
         (launch.completion == nullptr || !accelerator_.happened_before_fault(launch.completion->event()));
}

/// What was under way when the device faulted, or all that was not done where the device cannot tell; in the order in
/// which it was queued.
std::vector<const Launch*> Reaper::suspects() {
  std::vector<const Launch*> pending;
  std::vector<const Launch*> under_way;
  for (const auto& [stream, launches] : pending_) {
    for (const Launch& launch : launches) {
      pending.push_back(&launch);
      if (was_under_way(launch)) {
        under_way.push_back(&launch);
      }
    }
  }
  std::vector<const Launch*>& found = under_way.empty() ? pending : under_way;
  std::ranges::sort(found, {}, &Launch::queued_at);
  return found;
}

void Reaper::fail_all() {
  const std::vector<const Launch*> found = faulted_ ? suspects() : std::vector<const Launch*>{};
  if (!found.empty()) {
    Fault fault{.stage = found.front()->stage, .firing = found.front()->firing, .what = fault_, .beside = {}};
    for (const Launch* launch : found) {
      const std::string name = fmt::format("'{}'", launch->stage);
      if (launch->stage != fault.stage && std::ranges::find(fault.beside, name) == fault.beside.end()) {
        fault.beside.push_back(name);
      }
    }
    std::exchange(faulted_, nullptr)(fault);
  }
  for (auto& [stream, launches] : std::exchange(pending_, {})) {
    for (Launch& launch : launches) {
      if (launch.completion != nullptr) {
        launch.completion->finish(steady_now_ns());
      }
      launch.done(nullptr);
    }
  }
}

}  // namespace dflash
