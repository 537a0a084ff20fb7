// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "framework/device/accelerator.h"

namespace dflash {

class SimAccelerator;

/// Memory of a simulated device; freed with the handle.
class SimMemory {
 public:
  SimMemory(SimAccelerator& device, std::int64_t bytes) : device_{&device}, bytes_{bytes} {}
  SimMemory(const SimMemory&) = delete;
  SimMemory& operator=(const SimMemory&) = delete;
  ~SimMemory();

 private:
  SimAccelerator* device_;
  std::int64_t bytes_;
};

/// A stream whose work takes time and does nothing. Nothing waits in it: when each piece of work ends is known as soon
/// as it is queued.
class SimStream final : public Stream {
 public:
  explicit SimStream(SimAccelerator& device) : device_{&device} {}

  /// The stream that the calling thread has entered. Throws InternalError where it has entered none.
  [[nodiscard]] static SimStream& current();
  [[nodiscard]] SimAccelerator& device() const { return *device_; }

  /// A kernel; kernels of different streams run beside each other.
  void launch(std::chrono::nanoseconds duration);
  /// A kernel that faults where it would begin.
  void launch_faulty(const std::string& fault);
  enum class Direction { kToDevice, kToHost };
  /// A copy; the device has one engine for each direction.
  void copy(std::int64_t bytes, Direction direction);
  /// Blocks the host until all that is queued is done, as a careless body does.
  void synchronize();

  void wait(const StreamEvent& event) override;
  [[nodiscard]] std::unique_ptr<StreamEvent> record() override;
  [[nodiscard]] std::unique_ptr<StreamEvent> stamp() override;
  void sleep(std::chrono::nanoseconds duration) override { launch(duration); }
  void enter(StreamUse use) override;
  void leave() noexcept override;

 private:
  SimAccelerator* device_;
  SimStream* entered_before_ = nullptr;
  std::int64_t tail_ = 0;  // when all that is queued is done
};

struct SimSpec {
  std::int64_t memory_bytes = std::int64_t{1} << 40;
  double copy_bytes_per_s = 50e9;
  /// Nanoseconds; null: the steady clock.
  std::function<std::int64_t()> clock{};
};

/// A device that exists as a time line only, for graphs without a GPU and for tests. Bodies run on the CPU; their
/// kernels and copies have durations on that line, and count as done once the clock has passed their end.
class SimAccelerator final : public Accelerator {
 public:
  explicit SimAccelerator(SimSpec spec = {});

  [[nodiscard]] std::unique_ptr<Stream> make_stream() override { return std::make_unique<SimStream>(*this); }
  [[nodiscard]] bool has_happened(const StreamEvent& event) override;
  [[nodiscard]] std::int64_t time_of(const StreamEvent& event) override;
  [[nodiscard]] std::string fault() override;
  [[nodiscard]] bool happened_before_fault(const StreamEvent& event) override;
  void synchronize() override;
  [[nodiscard]] AcceleratorUsage usage() override;

  /// Throws DeviceError where that much is not free.
  [[nodiscard]] std::shared_ptr<SimMemory> allocate(std::int64_t bytes);
  [[nodiscard]] std::int64_t allocated_bytes();

 private:
  friend SimMemory;
  friend SimStream;

  [[nodiscard]] std::int64_t now() const { return spec_.clock(); }
  [[nodiscard]] bool has_faulted_by(std::int64_t time) const { return fault_at_ <= time; }
  /// Blocks the host until then.
  void block_until(std::int64_t time);

  SimSpec spec_;
  std::mutex mutex_;
  std::array<std::int64_t, 2> copy_engines_{};  // when each is free
  std::int64_t last_end_ = 0;                   // of all work
  std::int64_t fault_at_;
  std::string fault_;
  std::int64_t allocated_ = 0;
  AcceleratorUsage usage_;
};

}  // namespace dflash
