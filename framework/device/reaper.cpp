// SPDX-License-Identifier: Apache-2.0
#include "framework/device/reaper.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "framework/core/error.h"
#include "framework/telemetry/steady_clock.h"
#include "framework/telemetry/thread_name.h"

namespace dflash {
namespace {

// Between two looks while work is pending: short after something was done, longer while nothing is.
constexpr std::chrono::microseconds kShortNap{20};
constexpr std::chrono::microseconds kLongNap{200};

constexpr std::int64_t kBetweenUsages = 20'000'000;  // to ask for it takes the allocator's lock

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

void Reaper::begin(Launch launch) {
  const std::lock_guard lock{mutex_};
  const Stream* stream = launch.stream;
  news_.emplace_back(stream, std::move(launch));
}

void Reaper::end(const Stream* stream, LaunchEnd end) {
  {
    const std::lock_guard lock{mutex_};
    news_.emplace_back(stream, std::move(end));
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
          .frees = usage.frees,
          .maps = usage.maps,
          .unmaps = usage.unmaps,
          .host_waits = usage.host_waits};
}

LiveDevice Reaper::live() {
  const AcceleratorUsage usage = accelerator_.usage();
  const std::lock_guard lock{spans_mutex_};
  return {.name = device_,
          .firings = launches_,
          .busy_ns = spans_.covered(),
          .memory_bytes = usage.memory_bytes,
          .memory_high_bytes = usage.memory_high_bytes,
          .allocations = usage.allocations,
          .host_waits = usage.host_waits};
}

DeviceTimeline Reaper::timeline() {
  const std::lock_guard lock{spans_mutex_};
  return {.name = device_, .usage = usage_.oldest_first()};
}

void Reaper::run() {
  name_this_thread("reaper " + device_);
  auto nap = kShortNap;
  while (take_news()) {
    if (look()) {
      nap = kShortNap;
    } else if (has_work()) {
      std::this_thread::sleep_for(nap);
      nap = std::min(nap * 2, kLongNap);
    }
  }
}

/// Something is queued to its end and not done.
bool Reaper::has_work() const {
  return std::ranges::any_of(pending_, [](const auto& stream) { return stream.second.front().end.has_value(); });
}

bool Reaper::take_news() {
  std::unique_lock lock{mutex_};
  if (!has_work()) {
    changed_.wait(lock, [this] { return !news_.empty() || is_stopping_; });
  }
  for (auto& [stream, news] : news_) {
    std::deque<Pending>& launches = pending_[stream];
    if (auto* launch = std::get_if<Launch>(&news)) {
      launches.push_back({.launch = std::move(*launch), .end = std::nullopt});
    } else {
      launches.back().end = std::get<LaunchEnd>(std::move(news));
    }
  }
  news_.clear();
  return !is_stopping_ || !pending_.empty();
}

bool Reaper::finish_done(std::deque<Pending>& launches) {
  bool any = false;
  for (; !launches.empty() && launches.front().end; launches.pop_front()) {
    const Pending& first = launches.front();
    if (first.end->completion == nullptr || first.launch.begin == nullptr) {
      throw DeviceError("work could not be queued to its end");
    }
    if (!accelerator_.has_happened(first.end->completion->event())) {
      break;
    }
    finish(first);
    any = true;
  }
  return any;
}

bool Reaper::look() {
  if (has_faulted_) {
    drop_ended();
    return false;
  }
  bool any = false;
  std::optional<std::string> refusal;
  for (auto& [stream, launches] : pending_) {
    try {
      any = finish_done(launches) || any;
    } catch (const std::exception& error) {
      // What other streams had done before the fault is still done, so they are looked at, too.
      refusal = refusal.value_or(error.what());
    }
  }
  std::erase_if(pending_, [](const auto& stream) { return stream.second.empty(); });
  if (refusal) {
    has_faulted_ = true;
    const std::string fault = accelerator_.fault();
    fault_ = fault.empty() ? *refusal : fault;
    tell_fault();
    drop_ended();
  }
  return any;
}

DeviceTimes Reaper::times_of(const Pending& pending) {
  DeviceTimes times;
  times.whole = {.begin = accelerator_.time_of(*pending.launch.begin),
                 .end = accelerator_.time_of(pending.end->completion->event())};
  times.whole.end = std::max(times.whole.begin, times.whole.end);
  for (const LaunchPart& part : pending.end->parts) {
    const auto within = [&](const StreamEvent& event) {
      return std::clamp(accelerator_.time_of(event), times.whole.begin, times.whole.end);
    };
    times.parts.emplace_back(part.name, DeviceSpan{.begin = within(*part.begin), .end = within(*part.end)});
  }
  return times;
}

void Reaper::note_usage(std::int64_t now) {
  if (now - usage_noted_at_ < kBetweenUsages) {
    return;
  }
  usage_noted_at_ = now;
  const AcceleratorUsage usage = accelerator_.usage();
  const std::lock_guard lock{spans_mutex_};
  usage_.add({.at = now,
              .memory_bytes = usage.memory_bytes,
              .allocations = usage.allocations,
              .frees = usage.frees,
              .maps = usage.maps,
              .unmaps = usage.unmaps,
              .host_waits = usage.host_waits});
}

void Reaper::finish(const Pending& pending) {
  const DeviceTimes times = times_of(pending);
  {
    const std::lock_guard lock{spans_mutex_};
    spans_.add(times.whole.begin, times.whole.end);
    launches_ += pending.launch.firing > 0 ? 1 : 0;
    if (spans_.pieces() > kMostPieces) {
      spans_.settle_all_but(kMostPieces / 2);
    }
  }
  const std::int64_t now = steady_now_ns();
  pending.end->completion->finish(now);
  pending.end->done(&times);
  note_usage(now);
}

bool Reaper::was_under_way(const Pending& pending) {
  const bool is_ended = pending.end && pending.end->completion != nullptr;
  return pending.launch.begin != nullptr && accelerator_.happened_before_fault(*pending.launch.begin) &&
         !(is_ended && accelerator_.happened_before_fault(pending.end->completion->event()));
}

/// What was under way when the device faulted, or all that was not done where the device cannot tell; in the order in
/// which it was queued.
std::vector<const Launch*> Reaper::suspects() {
  std::vector<const Launch*> all;
  std::vector<const Launch*> under_way;
  for (const auto& [stream, launches] : pending_) {
    for (const Pending& pending : launches) {
      all.push_back(&pending.launch);
      if (was_under_way(pending)) {
        under_way.push_back(&pending.launch);
      }
    }
  }
  std::vector<const Launch*>& found = under_way.empty() ? all : under_way;
  std::ranges::sort(found, {}, &Launch::queued_at);
  return found;
}

void Reaper::tell_fault() {
  const std::vector<const Launch*> found = suspects();
  Fault fault{.stage = found.front()->stage, .firing = found.front()->firing, .what = fault_, .beside = {}};
  for (const Launch* launch : found) {
    const std::string name = fmt::format("'{}'", launch->stage);
    if (launch->stage != fault.stage && std::ranges::find(fault.beside, name) == fault.beside.end()) {
      fault.beside.push_back(name);
    }
  }
  faulted_(fault);
}

void Reaper::drop_ended() {
  for (auto stream = pending_.begin(); stream != pending_.end();) {
    std::deque<Pending>& launches = stream->second;
    for (; !launches.empty() && launches.front().end; launches.pop_front()) {
      const LaunchEnd& end = *launches.front().end;
      if (end.completion != nullptr) {
        end.completion->finish(steady_now_ns());
      }
      end.done(nullptr);
    }
    stream = launches.empty() ? pending_.erase(stream) : std::next(stream);
  }
}

}  // namespace dflash
