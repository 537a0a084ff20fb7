// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "framework/core/run_ahead.h"
#include "framework/runtime/edge_queue.h"
#include "framework/runtime/lanes.h"
#include "framework/runtime/origin.h"
#include "framework/runtime/run_devices.h"
#include "framework/telemetry/span_union.h"

namespace dflash {

/// The device side of one slot of a stage: its stream, and the firings whose work is queued there and not done. What a
/// firing took stays alive, and keeps its place on the edge, until the device has done that firing's work; so memory is
/// bounded by the edges' capacities, and no stream's memory is given out again while another stream reads it.
///
/// Path of a firing: `keep` each input, `begin`, the body queues its work, `end` -> the reaper sees it done -> places
/// are given back, consumers on the host and this stage are woken.
class DeviceSlot {
 public:
  /// `wake` wakes the stage's driver.
  DeviceSlot(const std::string& stage, RunDevices::Device& device, std::function<void()> wake);
  DeviceSlot(const DeviceSlot&) = delete;
  DeviceSlot& operator=(const DeviceSlot&) = delete;
  ~DeviceSlot() = default;

  void place(Lanes& lanes) { lanes_ = &lanes; }

  /// Another firing may be queued. Where not, the stage is woken once it may.
  [[nodiscard]] bool has_room() const { return queued() < kQueuedASlot; }
  /// Firings that are queued and not done.
  [[nodiscard]] std::int64_t queued() const { return queued_.load(std::memory_order_acquire); }
  /// Since when there is room.
  [[nodiscard]] std::int64_t room_since() const { return room_since_.load(std::memory_order_relaxed); }

  /// An input of the firing that is about to begin, taken with its place kept. `give_back` is called when the device is
  /// done with it, or at once where the firing turns out to queue nothing.
  void keep(const Item& item, std::function<void(std::int64_t bytes)> give_back);
  /// The stream waits for what makes the inputs; what this thread queues goes there until `end` or `abandon`. `firing`
  /// is 0 in a drain.
  void begin(std::int64_t firing);
  /// Makes the firing's work take that much longer.
  void sleep(std::chrono::nanoseconds duration) {
    if (duration.count() > 0) {
      stream_->sleep(duration);
    }
  }
  /// A named part of what the firing queues; parts may lie within each other. Between `begin` and `end`, else nothing.
  void begin_span(const std::string& name);
  /// A part whose end cannot be told any more, since the device has faulted, is left out.
  void end_span() noexcept;
  /// Begun parts will not end: the body failed.
  void drop_open_spans() {
    open_parts_.clear();
    open_host_parts_.clear();
  }
  /// All of the firing's work is queued; what it emitted is ready when that is done.
  void end(std::vector<StagedItem>& staged);
  /// The firing failed or was passed over: what it has queued is seen to its end all the same. Returns false where the
  /// device has faulted; the reaper tells then whose fault it was.
  [[nodiscard]] bool abandon() noexcept;

  /// Between firings, for work on the stage's state.
  void enter() { stream_->enter(StreamUse::kOther); }
  void leave() noexcept { stream_->leave(); }

  /// Once nothing runs any more.
  void add_to(StageRecord& record) const;
  void add_to(StageTimeline& timeline, std::int64_t slot) const;
  [[nodiscard]] std::string device() const { return device_->name; }

 private:
  struct Kept {
    Item item;
    std::function<void(std::int64_t bytes)> give_back;
  };

  /// Tells the reaper of the firing. `began`: null where the device has faulted before.
  void announce(std::unique_ptr<StreamEvent> began);
  /// Hands the firing over to the reaper.
  void hand_over(std::shared_ptr<Completion> completion);
  void give_back(std::vector<Kept>& kept);
  /// What the host did of a firing.
  struct HostSide {
    std::int64_t firing = 0;
    std::int64_t began_at = 0;
    std::int64_t left_at = 0;       // its body had queued all
    bool has_unmade_input = false;  // the device still made one when it began
    std::vector<DeviceSpan> parts;  // when their begins and ends were queued
  };
  void note(const HostSide& host, const DeviceTimes& times);
  void done(std::vector<Kept>& kept, const HostSide& host, const DeviceTimes* times);

  const std::string stage_;
  RunDevices::Device* device_;
  std::function<void()> wake_;
  Lanes* lanes_ = nullptr;
  std::unique_ptr<Stream> stream_;

  // Of the firing under way:
  std::vector<Kept> kept_;
  HostSide host_;
  std::vector<LaunchPart> open_parts_;
  std::vector<DeviceSpan> open_host_parts_;
  std::vector<std::string> part_names_;
  std::vector<LaunchPart> parts_;
  bool has_begun_ = false;  // and was not handed over
  bool is_inside_ = false;  // of the stream

  std::atomic<std::int64_t> queued_{0};
  std::atomic<std::int64_t> room_since_{0};
  // The reaper's thread writes them; read once nothing runs any more.
  std::int64_t firings_ = 0;
  std::int64_t queue_ns_ = 0;
  std::int64_t hidden_launch_ns_ = 0;
  std::int64_t lag_ns_ = 0;
  SpanUnion in_work_;
  Histogram spans_;
  std::vector<std::int64_t> part_ns_;  // by name
  Recent<DeviceEvent> events_;
  Recent<SpanEvent> part_events_;
};

}  // namespace dflash
