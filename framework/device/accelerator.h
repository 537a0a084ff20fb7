// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace dflash {

/// A point in the work of a stream. Outlived by the accelerator that it is of.
class StreamEvent {
 public:
  StreamEvent() = default;
  StreamEvent(const StreamEvent&) = delete;
  StreamEvent& operator=(const StreamEvent&) = delete;
  virtual ~StreamEvent() = default;
};

/// What a thread does on a stream, for the counting of host waits.
enum class StreamUse {
  kFiring,  // a stage's body, which should not wait for the device
  kOther,   // what happens between steps
};

/// Work that a device does in order, beside the host and beside its other streams. Used by one thread at a time.
class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  virtual ~Stream() = default;

  /// What is queued from here on begins once `event`, of any stream of this kind of device, has happened. The host does
  /// not wait.
  virtual void wait(const StreamEvent& event) = 0;
  /// Happens once all that is queued so far is done.
  [[nodiscard]] virtual std::unique_ptr<StreamEvent> record() = 0;
  /// The same, good for nothing but its time, and cheaper; null where no time can be taken here (the stream is being
  /// captured into a graph).
  [[nodiscard]] virtual std::unique_ptr<StreamEvent> stamp() = 0;
  /// Keeps the stream busy that long.
  virtual void sleep(std::chrono::nanoseconds duration) = 0;
  /// What the calling thread queues without naming a stream goes here, until it calls `leave`.
  virtual void enter(StreamUse use) = 0;
  virtual void leave() noexcept = 0;
};

/// What an accelerator has counted since it was made. Zero where it cannot.
struct AcceleratorUsage {
  std::int64_t memory_high_bytes = 0;  // most that was allocated at once
  std::int64_t memory_bytes = 0;       // allocated now
  std::int64_t allocations = 0;        // calls that asked the driver for memory
  std::int64_t frees = 0;              // calls that gave memory back to the driver
  std::int64_t maps = 0;               // of memory into reserved addresses
  std::int64_t unmaps = 0;
  std::int64_t host_waits = 0;  // times that the body of a firing made the host wait for the device
};

/// A device that works by itself while the host goes on: a GPU, or a simulation of one. Safe from any thread but where
/// it says otherwise. What fails throws DeviceError.
class Accelerator {
 public:
  Accelerator() = default;
  Accelerator(const Accelerator&) = delete;
  Accelerator& operator=(const Accelerator&) = delete;
  virtual ~Accelerator() = default;

  [[nodiscard]] virtual std::unique_ptr<Stream> make_stream() = 0;
  /// Throws DeviceError once the device has faulted.
  [[nodiscard]] virtual bool has_happened(const StreamEvent& event) = 0;
  /// When it happened, by the steady clock; only once it has. From one thread.
  [[nodiscard]] virtual std::int64_t time_of(const StreamEvent& event) = 0;
  /// What the device has faulted with; empty: it has not. Nothing that is queued on it will ever be done.
  [[nodiscard]] virtual std::string fault() = 0;
  /// After a fault: the work before `event` had been done by then.
  [[nodiscard]] virtual bool happened_before_fault(const StreamEvent& event) = 0;
  /// Returns once all streams are done.
  virtual void synchronize() = 0;
  [[nodiscard]] virtual AcceleratorUsage usage() = 0;
};

/// On each thread that takes part in a run, before its first firing: where it waits for a device outside of a body that
/// works on one, nobody counts that, and LibTorch does not print it.
void adopt_worker_thread();

/// By name: "cuda:0", "sim:0". Throws UserError where it cannot be had.
[[nodiscard]] std::unique_ptr<Accelerator> make_accelerator(const std::string& name);

/// The device of one index; the part of `make_accelerator` that needs CUDA.
[[nodiscard]] std::unique_ptr<Accelerator> make_cuda_accelerator(int index);

}  // namespace dflash
