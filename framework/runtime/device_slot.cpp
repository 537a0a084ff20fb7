// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/device_slot.h"

#include <algorithm>
#include <utility>

#include "framework/telemetry/steady_clock.h"

namespace dflash {

DeviceSlot::DeviceSlot(const std::string& stage, RunDevices::Device& device, std::function<void()> wake)
    : stage_{stage}, device_{&device}, wake_{std::move(wake)}, stream_{device.accelerator->make_stream()} {}

void DeviceSlot::keep(const Item& item, std::function<void(std::int64_t bytes)> give_back) {
  kept_.push_back({.item = item.share(), .give_back = std::move(give_back)});
}

void DeviceSlot::begin(std::int64_t firing) {
  firing_ = firing;
  began_at_ = steady_now_ns();
  std::unique_ptr<StreamEvent> began;
  try {
    for (const Kept& kept : kept_) {
      const Completion* ready = kept.item.ready.get();
      if (ready != nullptr && ready->stream() != stream_.get() && !ready->is_done()) {
        stream_->wait(ready->event());
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
  device_->reaper->begin(
      {.stage = stage_, .firing = firing_, .stream = stream_.get(), .queued_at = began_at_, .begin = std::move(began)});
  has_begun_ = true;
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
  device_->reaper->end(stream_.get(),
                       {.completion = std::move(completion),
                        .done = [this, kept = std::move(kept), counts = firing_ > 0, queued_at = began_at_](
                                    const DeviceSpan* span) { done(*kept, queued_at, counts ? span : nullptr); }});
}

void DeviceSlot::give_back(std::vector<Kept>& kept) {
  for (Kept& one : kept) {
    const std::int64_t bytes = one.item.bytes;
    one.item = Item{};  // before its place is given to another
    one.give_back(bytes);
  }
  kept.clear();
}

void DeviceSlot::done(std::vector<Kept>& kept, std::int64_t queued_at, const DeviceSpan* span) {
  if (span != nullptr) {
    ++firings_;
    queue_ns_ += std::max<std::int64_t>(span->begin - queued_at, 0);
    spans_.record(std::max<std::int64_t>(span->end - span->begin, 0));
  }
  give_back(kept);
  if (queued_.load(std::memory_order_relaxed) == kDepth) {
    room_since_.store(steady_now_ns(), std::memory_order_relaxed);
  }
  queued_.fetch_sub(1, std::memory_order_acq_rel);
  wake_();
  lanes_->release();
}

void DeviceSlot::add_to(StageRecord& record) const {
  record.device_firings += firings_;
  record.gpu_queue_ns += queue_ns_;
  record.gpu_span.merge(spans_);
}

}  // namespace dflash
