// SPDX-License-Identifier: Apache-2.0
#include "framework/device/sim_accelerator.h"

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

#include "framework/core/error.h"
#include "framework/telemetry/steady_clock.h"

namespace dflash {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// Of the calling thread.
SimStream*& entered_stream() {
  thread_local SimStream* stream = nullptr;
  return stream;
}
StreamUse& entered_use() {
  thread_local StreamUse use = StreamUse::kOther;
  return use;
}

struct SimEvent final : StreamEvent {
  explicit SimEvent(std::int64_t happens_at) : at{happens_at} {}
  const std::int64_t at;
};

std::int64_t time_in(const StreamEvent& event) { return dynamic_cast<const SimEvent&>(event).at; }

}  // namespace

SimMemory::~SimMemory() {
  const std::lock_guard lock{device_->mutex_};
  device_->allocated_ -= bytes_;
}

SimStream& SimStream::current() {
  DFLASH_CHECK(entered_stream() != nullptr, "this thread has entered no stream of a simulated device");
  return *entered_stream();
}

void SimStream::enter(StreamUse use) {
  entered_before_ = std::exchange(entered_stream(), this);
  entered_use() = use;
}

void SimStream::leave() noexcept { entered_stream() = std::exchange(entered_before_, nullptr); }

void SimStream::launch(std::chrono::nanoseconds duration) {
  if (tail_ == kNever) {
    return;
  }
  const std::lock_guard lock{device_->mutex_};
  tail_ = std::max(tail_, device_->now()) + duration.count();
  device_->last_end_ = std::max(device_->last_end_, tail_);
}

void SimStream::launch_faulty(const std::string& fault) {
  const std::lock_guard lock{device_->mutex_};
  tail_ = std::max(tail_, device_->now());
  if (tail_ < device_->fault_at_) {
    device_->fault_at_ = tail_;
    device_->fault_ = fault;
  }
  tail_ = kNever;
}

void SimStream::copy(std::int64_t bytes, Direction direction) {
  if (tail_ == kNever) {
    return;
  }
  const std::lock_guard lock{device_->mutex_};
  std::int64_t& engine = device_->copy_engines_[direction == Direction::kToDevice ? 0 : 1];
  const double seconds = static_cast<double>(bytes) / device_->spec_.copy_bytes_per_s;
  tail_ = std::max({tail_, engine, device_->now()}) + static_cast<std::int64_t>(seconds * 1e9);
  engine = tail_;
  device_->last_end_ = std::max(device_->last_end_, tail_);
}

void SimStream::synchronize() {
  if (entered_use() == StreamUse::kFiring) {
    const std::lock_guard lock{device_->mutex_};
    ++device_->usage_.host_waits;
  }
  device_->block_until(tail_);
}

void SimStream::wait(const StreamEvent& event) { tail_ = std::max(tail_, time_in(event)); }

std::unique_ptr<StreamEvent> SimStream::stamp() {
  {
    const std::lock_guard lock{device_->mutex_};
    if (device_->now() >= device_->fault_at_) {
      throw DeviceError(device_->fault_);
    }
  }
  return record();
}

std::unique_ptr<StreamEvent> SimStream::record() {
  const std::lock_guard lock{device_->mutex_};
  return std::make_unique<SimEvent>(std::max(tail_, device_->now()));
}

SimAccelerator::SimAccelerator(SimSpec spec) : spec_{std::move(spec)}, fault_at_{kNever} {
  if (!spec_.clock) {
    spec_.clock = steady_now_ns;
  }
}

bool SimAccelerator::has_happened(const StreamEvent& event) {
  const std::lock_guard lock{mutex_};
  if (has_faulted_by(now()) && fault_at_ < time_in(event)) {
    throw DeviceError(fault_);
  }
  return time_in(event) <= now();
}

std::int64_t SimAccelerator::time_of(const StreamEvent& event) { return time_in(event); }

std::string SimAccelerator::fault() {
  const std::lock_guard lock{mutex_};
  return has_faulted_by(now()) ? fault_ : "";
}

bool SimAccelerator::happened_before_fault(const StreamEvent& event) {
  const std::lock_guard lock{mutex_};
  return time_in(event) <= fault_at_ && time_in(event) <= now();
}

void SimAccelerator::block_until(std::int64_t time) {
  for (;;) {
    {
      const std::lock_guard lock{mutex_};
      if (has_faulted_by(std::min(now(), time))) {
        throw DeviceError(fault_);
      }
      if (now() >= time) {
        return;
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds{20});
  }
}

void SimAccelerator::synchronize() {
  std::int64_t end = 0;
  {
    const std::lock_guard lock{mutex_};
    end = last_end_;
  }
  block_until(end);
}

AcceleratorUsage SimAccelerator::usage() {
  const std::lock_guard lock{mutex_};
  AcceleratorUsage usage = usage_;
  usage.memory_bytes = allocated_;
  return usage;
}

std::shared_ptr<SimMemory> SimAccelerator::allocate(std::int64_t bytes) {
  {
    const std::lock_guard lock{mutex_};
    if (allocated_ + bytes > spec_.memory_bytes) {
      throw DeviceError(
          fmt::format("out of memory: {} bytes asked for, {} of {} allocated", bytes, allocated_, spec_.memory_bytes));
    }
    allocated_ += bytes;
    ++usage_.allocations;
    usage_.memory_high_bytes = std::max(usage_.memory_high_bytes, allocated_);
  }
  return std::make_shared<SimMemory>(*this, bytes);
}

std::int64_t SimAccelerator::allocated_bytes() {
  const std::lock_guard lock{mutex_};
  return allocated_;
}

}  // namespace dflash
