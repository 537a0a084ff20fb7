// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include "framework/device/sim_accelerator.h"
#include "tests/framework/number_stages.h"

namespace dflash {

/// Memory on a simulated device.
struct DeviceBuffer {
  std::int64_t number = 0;
  std::shared_ptr<SimMemory> memory;
};

template <>
struct ItemType<DeviceBuffer> {
  static constexpr std::string_view kName = "device_buffer";
  static std::int64_t bytes(const DeviceBuffer&) { return 1000; }
};

/// How long a faulty firing's work goes on before it faults: long enough for all other work to be done by then.
inline constexpr std::chrono::milliseconds kFaultsAfter{100};

/// Launches a kernel for each number and passes it on.
struct KernelStage final : Transform<std::int64_t, std::int64_t> {
  explicit KernelStage(std::chrono::nanoseconds time) : Transform{"in", "numbers", "out", "numbers"}, kernel{time} {}
  static StageInfo info() {
    return {.type = "kernel", .summary = "launches a kernel", .stateless = true, .uses_device = true};
  }
  std::int64_t transform(std::int64_t value, Firing& firing) override {
    if (on_fire) {
      on_fire();
    }
    {
      const Span launches{firing, "launch"};
      SimStream::current().launch(kernel);
    }
    if (firing.number() == faulty_at) {
      SimStream::current().launch(kFaultsAfter);
      SimStream::current().launch_faulty("illegal address");
    }
    if (synchronizes) {
      const Span waits{firing, "wait"};
      SimStream::current().synchronize();
    }
    return value;
  }
  std::chrono::nanoseconds kernel;
  std::function<void()> on_fire;
  std::int64_t faulty_at = 0;
  bool synchronizes = false;
};

/// Fills device memory with each number.
struct FillStage final : Transform<std::int64_t, DeviceBuffer> {
  explicit FillStage(std::chrono::nanoseconds time) : Transform{"in", "numbers", "out", "buffers"}, kernel{time} {}
  static StageInfo info() { return {.type = "fill", .summary = "fills device memory", .uses_device = true}; }
  DeviceBuffer transform(std::int64_t value, Firing&) override {
    SimStream& stream = SimStream::current();
    auto memory = stream.device().allocate(1000);
    high = std::max(high, stream.device().allocated_bytes());
    stream.launch(kernel);
    return {.number = value, .memory = std::move(memory)};
  }
  std::chrono::nanoseconds kernel;
  std::int64_t high = 0;
};

/// Reads device memory with a kernel; the handle is let go as soon as the body returns.
struct ReadStage final : Transform<DeviceBuffer, std::int64_t> {
  explicit ReadStage(std::chrono::nanoseconds time) : Transform{"in", "buffers", "out", "numbers"}, kernel{time} {}
  static StageInfo info() { return {.type = "read", .summary = "reads device memory", .uses_device = true}; }
  std::int64_t transform(DeviceBuffer value, Firing&) override {
    SimStream::current().launch(kernel);
    last = value.memory;
    return value.number;
  }
  std::chrono::nanoseconds kernel;
  std::weak_ptr<SimMemory> last;
};

/// A stage on the host that may insist on its producer's lane.
struct HostStage final : Stage {
  explicit HostStage(bool in_its_way = false) : shares{in_its_way} {}
  static StageInfo info() { return {.type = "host", .summary = "reads on the host"}; }
  Input<std::int64_t> in{*this, "in", "numbers"};
  void fire(Firing& firing) override {
    seen.push_back(firing.take(in));
    if (on_fire) {
      on_fire();
    }
  }
  bool shares_producers_lane() const override { return shares; }
  bool shares;
  std::function<void()> on_fire;
  std::vector<std::int64_t> seen;
};

}  // namespace dflash
