// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "framework/device/accelerator.h"

namespace dflash {

/// The end of one firing's work on an accelerator. Travels with what the firing emitted: a stage on the same kind of
/// device lets its stream wait for `event`, a stage on the host may look at the payload once `is_done`.
class Completion {
 public:
  Completion(std::unique_ptr<StreamEvent> event, const Stream* stream) : event_{std::move(event)}, stream_{stream} {}
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;
  ~Completion() = default;

  [[nodiscard]] const StreamEvent& event() const { return *event_; }
  /// The stream of the work. For comparison only: it may be gone.
  [[nodiscard]] const Stream* stream() const { return stream_; }

  /// The host has seen that the work is done, or that it never will be.
  [[nodiscard]] bool is_done() const { return done_at_.load(std::memory_order_acquire) != kPending; }
  /// When it saw that, by the steady clock; 0 before.
  [[nodiscard]] std::int64_t done_at() const;
  /// True: it is done already. False: `waker` will be called once, on another thread.
  [[nodiscard]] bool done_or_wake(std::function<void()> waker);
  /// Blocks the calling thread until it is done.
  void wait();

  /// Once, by whoever watches the device.
  void finish(std::int64_t now);

 private:
  static constexpr std::int64_t kPending = -1;

  const std::unique_ptr<StreamEvent> event_;
  const Stream* const stream_;
  std::atomic<std::int64_t> done_at_{kPending};
  std::mutex mutex_;
  std::condition_variable finished_;
  std::vector<std::function<void()>> wakers_;
};

}  // namespace dflash
