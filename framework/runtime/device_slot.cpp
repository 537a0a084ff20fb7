// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/device_slot.h"

#include <algorithm>
#include <utility>

#include "framework/telemetry/steady_clock.h"

namespace dflash {
namespace {

/// The most that the device was behind the host from the begin of a firing's work on.
std::int64_t lag_of(const DeviceSpan& whole, std::int64_t left_at, const std::vector<DeviceSpan>& host_parts,
                    const DeviceTimes& times) {
  std::int64_t lag = whole.end - std::max(left_at, whole.begin);
  for (std::size_t i = 0; i < host_parts.size(); ++i) {
    const DeviceSpan& part = times.parts[i].second;
    lag = std::max({lag, part.begin - std::max(host_parts[i].begin, whole.begin),
                    part.end - std::max(host_parts[i].end, whole.begin)});
  }
  return std::max<std::int64_t>(lag, 0);
}

}  // namespace

DeviceSlot::DeviceSlot(const std::string& stage, RunDevices::Device& device, std::function<void()> wake)
    : stage_{stage}, device_{&device}, wake_{std::move(wake)}, stream_{device.accelerator->make_stream()} {}

void DeviceSlot::keep(const Item& item, std::function<void(std::int64_t bytes)> give_back) {
  kept_.push_back({.item = item.share(), .give_back = std::move(give_back)});
}

void DeviceSlot::begin(std::int64_t firing) {
  host_ = {.firing = firing, .began_at = steady_now_ns()};
  std::unique_ptr<StreamEvent> began;
  try {
    for (const Kept& kept : kept_) {
      const Completion* ready = kept.item.ready.get();
      if (ready != nullptr && ready->stream() != stream_.get() && !ready->is_done()) {
        stream_->wait(ready->event());
        host_.has_unmade_input = true;
      }
    }
    began = stream_->record();
  } catch (...) {
    announce(nullptr);
    throw;
  }
  announce(std::move(began));
  stream_->enter(StreamUse::kFiring);
  is_inside_ = true;
}

void DeviceSlot::announce(std::unique_ptr<StreamEvent> began) {
  device_->reaper->begin({.stage = stage_,
                          .firing = host_.firing,
                          .stream = stream_.get(),
                          .queued_at = host_.began_at,
                          .begin = std::move(began)});
  has_begun_ = true;
}

void DeviceSlot::begin_span(const std::string& name) {
  if (is_inside_) {
    const auto found = std::ranges::find(part_names_, name);
    const auto index = static_cast<std::size_t>(found - part_names_.begin());
    if (found == part_names_.end()) {
      part_names_.push_back(name);
    }
    open_host_parts_.push_back({.begin = steady_now_ns()});
    open_parts_.push_back({.name = index, .begin = stream_->stamp(), .end = nullptr});
  }
}

void DeviceSlot::end_span() noexcept {
  if (!is_inside_ || open_parts_.empty()) {
    return;
  }
  LaunchPart part = std::move(open_parts_.back());
  open_parts_.pop_back();
  DeviceSpan on_host = open_host_parts_.back();
  open_host_parts_.pop_back();
  on_host.end = steady_now_ns();
  try {
    part.end = stream_->stamp();
  } catch (...) {
    part.end = nullptr;  // the device has faulted, and the body is on its way out; `abandon` sees to that
  }
  if (part.begin != nullptr && part.end != nullptr) {
    parts_.push_back(std::move(part));
    host_.parts.push_back(on_host);
  }
}

void DeviceSlot::end(std::vector<StagedItem>& staged) {
  stream_->leave();
  is_inside_ = false;
  auto completion = std::make_shared<Completion>(stream_->record(), stream_.get());
  for (StagedItem& item : staged) {
    if (!item.item.is_tombstone()) {
      item.item.ready = completion;
    }
  }
  hand_over(std::move(completion));
}

bool DeviceSlot::abandon() noexcept {
  if (std::exchange(is_inside_, false)) {
    stream_->leave();
  }
  if (!has_begun_) {
    give_back(kept_);
    return true;
  }
  std::shared_ptr<Completion> completion;  // stays null where the device has faulted: the launch has no end then
  try {
    completion = std::make_shared<Completion>(stream_->record(), stream_.get());
  } catch (...) {
    completion = nullptr;
  }
  const bool has_faulted = completion == nullptr || !device_->accelerator->fault().empty();
  hand_over(std::move(completion));
  return !has_faulted;
}

void DeviceSlot::hand_over(std::shared_ptr<Completion> completion) {
  queued_.fetch_add(1, std::memory_order_acq_rel);
  lanes_->hold();
  auto kept = std::make_shared<std::vector<Kept>>(std::exchange(kept_, {}));
  has_begun_ = false;
  drop_open_spans();
  host_.left_at = steady_now_ns();
  device_->reaper->end(stream_.get(), {.completion = std::move(completion),
                                       .parts = std::exchange(parts_, {}),
                                       .done = [this, kept = std::move(kept), host = std::exchange(host_, {})](
                                                   const DeviceTimes* times) { done(*kept, host, times); }});
}

void DeviceSlot::give_back(std::vector<Kept>& kept) {
  for (Kept& one : kept) {
    const std::int64_t bytes = one.item.bytes;
    one.item = Item{};  // before its place is given to another
    one.give_back(bytes);
  }
  kept.clear();
}

void DeviceSlot::note(const HostSide& host, const DeviceTimes& times) {
  const DeviceSpan& whole = times.whole;
  const std::int64_t queued = std::max<std::int64_t>(whole.begin - host.began_at, 0);
  const std::int64_t hidden = host.has_unmade_input && host.left_at > whole.begin ? queued : 0;
  const std::int64_t lag = lag_of(whole, host.left_at, host.parts, times);
  if (host.firing > 0) {
    ++firings_;
    queue_ns_ += queued;
    spans_.record(whole.end - whole.begin);
    hidden_launch_ns_ += hidden;
    lag_ns_ += lag;
  }
  in_work_.add(host.began_at + hidden, host.left_at);
  in_work_.add(whole.begin, whole.end);
  in_work_.settle_all_but(2 * kQueuedASlot);  // bodies and work of firings that the next body may overlap
  events_.add({.number = host.firing,
               .queued = host.began_at,
               .begin = whole.begin,
               .end = whole.end,
               .seen = steady_now_ns(),
               .hidden = hidden,
               .lag = lag});
  for (const auto& [name, span] : times.parts) {
    part_ns_.resize(std::max(part_ns_.size(), name + 1));
    part_ns_[name] += span.end - span.begin;
    part_events_.add(
        {.number = host.firing, .name = static_cast<std::int64_t>(name), .begin = span.begin, .end = span.end});
  }
}

void DeviceSlot::done(std::vector<Kept>& kept, const HostSide& host, const DeviceTimes* times) {
  if (times != nullptr) {
    note(host, *times);
  }
  give_back(kept);
  if (queued_.load(std::memory_order_relaxed) == kQueuedASlot) {
    room_since_.store(steady_now_ns(), std::memory_order_relaxed);
  }
  queued_.fetch_sub(1, std::memory_order_acq_rel);
  wake_();
  lanes_->release();
}

void DeviceSlot::add_to(StageRecord& record) const {
  record.device_firings += firings_;
  record.gpu_queue_ns += queue_ns_;
  record.hidden_launch_ns += hidden_launch_ns_;
  record.gpu_lag_ns += lag_ns_;
  record.gpu_in_work_ns += in_work_.covered();
  record.gpu_span.merge(spans_);
  for (std::size_t i = 0; i < part_ns_.size(); ++i) {
    auto span = std::ranges::find(record.spans, part_names_[i], &SpanRecord::name);
    if (span == record.spans.end()) {
      span = record.spans.insert(span, {.name = part_names_[i]});
    }
    span->device_ns += part_ns_[i];
  }
}

void DeviceSlot::add_to(StageTimeline& timeline, std::int64_t slot) const {
  for (DeviceEvent event : events_.oldest_first()) {
    event.slot = slot;
    timeline.device_firings.push_back(event);
  }
  for (SpanEvent event : part_events_.oldest_first()) {
    event.slot = slot;
    event.name = timeline.index_of_span(part_names_[static_cast<std::size_t>(event.name)]);
    timeline.device_spans.push_back(event);
  }
  timeline.note_lost(events_);
  timeline.note_lost(part_events_);
}

}  // namespace dflash
