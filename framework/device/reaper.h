// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "framework/device/accelerator.h"
#include "framework/device/completion.h"
#include "framework/telemetry/live_view.h"
#include "framework/telemetry/recent.h"
#include "framework/telemetry/run_record.h"
#include "framework/telemetry/span_union.h"

namespace dflash {

/// When work began and ended on its device, by the steady clock.
struct DeviceSpan {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// The same of a firing, and of its named parts, which lie within it.
struct DeviceTimes {
  DeviceSpan whole;
  std::vector<std::pair<std::size_t, DeviceSpan>> parts;  // by the number of the name
};

/// A named part of what a firing queues.
struct LaunchPart {
  std::size_t name = 0;
  std::unique_ptr<StreamEvent> begin;
  std::unique_ptr<StreamEvent> end;
};

/// Work that is queued on an accelerator by one firing.
struct Launch {
  std::string stage;
  std::int64_t firing = 0;  // 0: a drain, which is not counted
  const Stream* stream = nullptr;
  std::int64_t queued_at = 0;          // by the steady clock, before any of it was queued
  std::unique_ptr<StreamEvent> begin;  // null: the device had faulted before
};

/// All of it is queued.
struct LaunchEnd {
  std::shared_ptr<Completion> completion;  // null: the device has faulted meanwhile
  std::vector<LaunchPart> parts;
  /// On the reaper's thread, as the last thing it does for this launch; null: the device has faulted before it was
  /// done.
  std::function<void(const DeviceTimes* times)> done;
};

/// Watches one accelerator on a thread of its own, so that no worker waits for the device: tells when the work of each
/// firing is done, how long it took, and, where the device faults, whose work it was.
class Reaper {
 public:
  struct Fault {
    std::string stage;
    std::int64_t firing = 0;
    std::string what;
    std::vector<std::string> beside;  // other stages whose work was under way when it happened
  };

  /// `faulted` is called once, on the reaper's thread.
  Reaper(std::string device, Accelerator& accelerator, std::function<void(const Fault&)> faulted);
  Reaper(const Reaper&) = delete;
  Reaper& operator=(const Reaper&) = delete;
  /// All launches must be done.
  ~Reaper();

  /// A firing begins to queue work on its stream: from here on a fault of the device may be its own.
  void begin(Launch launch);
  /// The end of what was begun last on that stream.
  void end(const Stream* stream, LaunchEnd end);
  /// What was measured: of the launches that are done so far. From any thread.
  [[nodiscard]] DeviceRecord record();
  [[nodiscard]] DeviceTimeline timeline();
  /// The same at this moment, all of one look.
  [[nodiscard]] LiveDevice live();

 private:
  struct Pending {
    Launch launch;
    std::optional<LaunchEnd> end;  // none: more is being queued
  };

  void run();
  [[nodiscard]] bool has_work() const;
  [[nodiscard]] bool take_news();
  /// Returns whether any launch was done.
  [[nodiscard]] bool look();
  /// Of one stream; throws DeviceError once the device has faulted.
  [[nodiscard]] bool finish_done(std::deque<Pending>& launches);
  void finish(const Pending& pending);
  [[nodiscard]] DeviceTimes times_of(const Pending& pending);
  void note_usage(std::int64_t now);
  void tell_fault();
  /// After a fault: everything that is ended is over.
  void drop_ended();
  [[nodiscard]] bool was_under_way(const Pending& pending);
  [[nodiscard]] std::vector<const Launch*> suspects();

  const std::string device_;
  Accelerator& accelerator_;
  std::function<void(const Fault&)> faulted_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::pair<const Stream*, std::variant<Launch, LaunchEnd>>> news_;
  bool is_stopping_ = false;

  // The reaper's thread only:
  std::map<const Stream*, std::deque<Pending>> pending_;
  bool has_faulted_ = false;
  std::string fault_;
  std::int64_t usage_noted_at_ = 0;

  std::mutex spans_mutex_;
  SpanUnion spans_;
  std::int64_t launches_ = 0;
  Recent<UsageEvent> usage_;

  std::thread thread_;
};

}  // namespace dflash
