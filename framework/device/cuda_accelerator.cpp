// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <ATen/Context.h>
#include <c10/cuda/CUDAAllocatorConfig.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAStream.h>

#include "framework/core/error.h"
#include "framework/device/accelerator.h"
#include "framework/device/cuda_check.h"
#include "framework/device/cuda_marks.h"
#include "framework/device/device.h"
#include "framework/device/host_waits.h"
#include "framework/telemetry/steady_clock.h"

namespace dflash {
namespace {

/// Elapsed time comes as a float of milliseconds, whose step grows to a microsecond after some ten seconds.
constexpr std::int64_t kAnchorLife = 5'000'000'000;
constexpr int kAnchorTries = 5;
constexpr std::size_t kMostStreams = 4096;

/// Makes a device the calling thread's current one.
class OnDevice {
 public:
  explicit OnDevice(int index) {
    DFLASH_CUDA_CHECK(cudaGetDevice(&before_));
    DFLASH_CUDA_CHECK(cudaSetDevice(index));
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { cudaSetDevice(before_); }

 private:
  int before_ = 0;
};

/// Events are made once and used again. Shared by the events, which may outlive the accelerator.
class EventPool {
 public:
  explicit EventPool(int index) : index_{index} {}
  EventPool(const EventPool&) = delete;
  EventPool& operator=(const EventPool&) = delete;
  ~EventPool() {
    for (cudaEvent_t event : free_) {
      cudaEventDestroy(event);
    }
  }

  [[nodiscard]] cudaEvent_t get() {
    const std::lock_guard lock{mutex_};
    if (free_.empty()) {
      const OnDevice here{index_};
      cudaEvent_t event = nullptr;
      DFLASH_CUDA_CHECK(cudaEventCreate(&event));
      return event;
    }
    cudaEvent_t event = free_.back();
    free_.pop_back();
    return event;
  }
  void put(cudaEvent_t event) {
    const std::lock_guard lock{mutex_};
    free_.push_back(event);
  }

 private:
  const int index_;
  std::mutex mutex_;
  std::vector<cudaEvent_t> free_;
};

struct CudaEvent final : StreamEvent {
  explicit CudaEvent(std::shared_ptr<EventPool> from) : pool{std::move(from)}, event{pool->get()} {}
  ~CudaEvent() override { pool->put(event); }

  const std::shared_ptr<EventPool> pool;
  const cudaEvent_t event;
  const std::uint64_t* mark = nullptr;  // reads `value` or more once the event has been reached
  std::uint64_t value = 0;
};

const CudaEvent& cuda_event(const StreamEvent& event) { return dynamic_cast<const CudaEvent&>(event); }

class CudaStream final : public Stream {
 public:
  CudaStream(int index, std::shared_ptr<EventPool> pool, std::uint64_t* mark, std::atomic<std::int64_t>& host_waits)
      : index_{index},
        pool_{std::move(pool)},
        mark_{mark},
        host_waits_{&host_waits},
        stream_{c10::cuda::getStreamFromPool(/*isHighPriority=*/false, static_cast<c10::DeviceIndex>(index))} {}

  void wait(const StreamEvent& event) override {
    DFLASH_CUDA_CHECK(cudaStreamWaitEvent(stream_.stream(), cuda_event(event).event, 0));
  }

  std::unique_ptr<StreamEvent> record() override {
    const OnDevice here{index_};
    auto event = std::make_unique<CudaEvent>(pool_);
    event->mark = mark_;
    event->value = ++marks_;
    queue_mark(mark_, event->value, stream_.stream());
    DFLASH_CUDA_CHECK(cudaEventRecord(event->event, stream_.stream()));
    return event;
  }

  std::unique_ptr<StreamEvent> stamp() override {
    const OnDevice here{index_};
    cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
    DFLASH_CUDA_CHECK(cudaStreamIsCapturing(stream_.stream(), &capturing));
    if (capturing != cudaStreamCaptureStatusNone) {
      return nullptr;
    }
    auto event = std::make_unique<CudaEvent>(pool_);
    DFLASH_CUDA_CHECK(cudaEventRecord(event->event, stream_.stream()));
    return event;
  }

  void sleep(std::chrono::nanoseconds duration) override {
    const OnDevice here{index_};
    queue_sleep(duration.count(), stream_.stream());
  }

  void enter(StreamUse use) override {
    device_before_ = c10::cuda::current_device();
    before_ = c10::cuda::getCurrentCUDAStream(stream_.device_index());
    c10::cuda::set_device(stream_.device_index());
    c10::cuda::setCurrentCUDAStream(stream_);
    count_host_waits(use == StreamUse::kFiring ? host_waits_ : nullptr);
  }

  void leave() noexcept override {
    count_host_waits(nullptr);
    c10::cuda::setCurrentCUDAStream(*before_);
    cudaSetDevice(device_before_);
  }

 private:
  const int index_;
  const std::shared_ptr<EventPool> pool_;
  std::uint64_t* const mark_;
  std::uint64_t marks_ = 0;
  std::atomic<std::int64_t>* const host_waits_;
  const c10::cuda::CUDAStream stream_;
  c10::DeviceIndex device_before_ = 0;
  std::optional<c10::cuda::CUDAStream> before_;
};

class CudaAccelerator final : public Accelerator {
 public:
  explicit CudaAccelerator(int index) : index_{index}, pool_{std::make_shared<EventPool>(index)} {
    at::globalContext().lazyInitDevice(c10::kCUDA);
    const OnDevice here{index_};
    DFLASH_CUDA_CHECK(cudaStreamCreateWithFlags(&helper_, cudaStreamNonBlocking));
    DFLASH_CUDA_CHECK(cudaHostAlloc(&marks_, kMostStreams * sizeof(std::uint64_t), cudaHostAllocMapped));
    std::fill_n(marks_, kMostStreams, 0);
    set_anchor();
    count_host_waits(nullptr);  // on the thread of the run, whose waits between firings are nobody's
    const auto before = stats();
    allocations_before_ = before.num_device_alloc;
    frees_before_ = before.num_device_free;
  }
  ~CudaAccelerator() override {
    end_host_wait_counts();
    cudaStreamDestroy(helper_);
    cudaFreeHost(marks_);
  }

  std::unique_ptr<Stream> make_stream() override {
    DFLASH_CHECK(streams_ < kMostStreams, "more than {} streams", kMostStreams);
    return std::make_unique<CudaStream>(index_, pool_, marks_ + streams_++, host_waits_);
  }

  bool has_happened(const StreamEvent& event) override {
    const cudaError_t status = cudaEventQuery(cuda_event(event).event);
    if (status == cudaErrorNotReady) {
      return false;
    }
    DFLASH_CUDA_CHECK(status);
    return true;
  }

  std::int64_t time_of(const StreamEvent& event) override {
    if (steady_now_ns() - anchored_at_ > kAnchorLife) {
      set_anchor();
    }
    float milliseconds = 0.0F;
    DFLASH_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, anchor_->event, cuda_event(event).event));
    return anchored_at_ + static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6);
  }

  std::string fault() override {
    const cudaError_t status = cudaStreamQuery(helper_);
    return status == cudaSuccess || status == cudaErrorNotReady
               ? ""
               : fmt::format("{}: {}", cudaGetErrorName(status), cudaGetErrorString(status));
  }

  bool happened_before_fault(const StreamEvent& event) override {
    const CudaEvent& reached = cuda_event(event);
    return *static_cast<const volatile std::uint64_t*>(reached.mark) >= reached.value;
  }

  void synchronize() override {
    const OnDevice here{index_};
    DFLASH_CUDA_CHECK(cudaDeviceSynchronize());
  }

  AcceleratorUsage usage() override {
    const auto now = stats();
    AcceleratorUsage usage{.memory_high_bytes = now.allocated_bytes[0].peak,
                           .memory_bytes = now.allocated_bytes[0].current,
                           .host_waits = host_waits_.load(std::memory_order_relaxed)};
    // LibTorch counts both kinds in one; which of them it uses is set for the process.
    const bool maps = c10::cuda::CUDACachingAllocator::CUDAAllocatorConfig::expandable_segments();
    (maps ? usage.maps : usage.allocations) = now.num_device_alloc - allocations_before_;
    (maps ? usage.unmaps : usage.frees) = now.num_device_free - frees_before_;
    return usage;
  }

 private:
  [[nodiscard]] c10::CachingDeviceAllocator::DeviceStats stats() const {
    return c10::cuda::CUDACachingAllocator::getDeviceStats(static_cast<c10::DeviceIndex>(index_));
  }

  /// An event on an idle stream, between two looks at the clock; the try with the closest looks counts.
  void set_anchor() {
    std::int64_t closest = std::numeric_limits<std::int64_t>::max();
    for (int i = 0; i < kAnchorTries; ++i) {
      auto candidate = std::make_unique<CudaEvent>(pool_);
      const std::int64_t before = steady_now_ns();
      DFLASH_CUDA_CHECK(cudaEventRecord(candidate->event, helper_));
      DFLASH_CUDA_CHECK(cudaEventSynchronize(candidate->event));
      const std::int64_t after = steady_now_ns();
      if (after - before < closest) {
        closest = after - before;
        anchored_at_ = before + (after - before) / 2;
        anchor_ = std::move(candidate);
      }
    }
  }

  const int index_;
  const std::shared_ptr<EventPool> pool_;
  cudaStream_t helper_ = nullptr;
  std::uint64_t* marks_ = nullptr;
  std::atomic<std::size_t> streams_{0};
  std::atomic<std::int64_t> host_waits_{0};
  std::int64_t allocations_before_ = 0;
  std::int64_t frees_before_ = 0;
  std::unique_ptr<CudaEvent> anchor_;
  std::int64_t anchored_at_ = 0;  // by the steady clock
};

}  // namespace

void adopt_worker_thread() { count_host_waits(nullptr); }

std::unique_ptr<Accelerator> make_cuda_accelerator(int index) {
  const std::vector<CudaDevice> devices = cuda_devices();
  DFLASH_USER_CHECK(!devices.empty(), "device 'cuda:{}' cannot be had: {}", index, no_cuda_reason());
  DFLASH_USER_CHECK(index < static_cast<int>(devices.size()),
                    "device 'cuda:{}' cannot be had: there are {} CUDA devices", index, devices.size());
  return std::make_unique<CudaAccelerator>(index);
}

}  // namespace dflash
