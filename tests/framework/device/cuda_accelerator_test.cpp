// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <functional>
#include <future>
#include <iostream>
#include <string>
#include <thread>

#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "framework/device/accelerator.h"
#include "framework/device/cuda_marks.h"
#include "framework/device/device.h"
#include "framework/device/reaper.h"
#include "framework/telemetry/steady_clock.h"

// Only in builds with CUDA; runs where there is a device.

namespace dflash {
namespace {

using std::chrono::milliseconds;

class CudaAcceleratorTest : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda_devices().empty()) {
      GTEST_SKIP() << no_cuda_reason();
    }
  }
};

/// Blocks until it has happened.
void wait_for(Accelerator& device, const StreamEvent& event) {
  while (!device.has_happened(event)) {
  }
}

TEST_F(CudaAcceleratorTest, PlacesWorkOnTheHostsClock) {
  const auto device = make_accelerator("cuda:0");
  const auto stream = device->make_stream();
  stream->sleep(milliseconds{1});  // loads the kernel
  device->synchronize();
  for (int round = 0; round < 5; ++round) {
    const std::int64_t before = steady_now_ns();
    const auto begin = stream->record();
    stream->sleep(milliseconds{10});
    const auto end = stream->record();
    wait_for(*device, *end);
    const std::int64_t after = steady_now_ns();
    EXPECT_GE(device->time_of(*begin), before - 20'000);
    EXPECT_LE(device->time_of(*end), after + 20'000);
    EXPECT_NEAR(static_cast<double>(device->time_of(*end) - device->time_of(*begin)), 10e6, 0.3e6);
  }
}

TEST_F(CudaAcceleratorTest, StreamsOverlapUnlessOneWaitsForTheOther) {
  const auto device = make_accelerator("cuda:0");
  const auto a = device->make_stream();
  const auto b = device->make_stream();
  a->sleep(milliseconds{20});
  const auto a_end = a->record();
  b->sleep(milliseconds{5});
  const auto beside = b->record();
  b->wait(*a_end);
  const auto behind = b->record();
  wait_for(*device, *behind);
  EXPECT_LT(device->time_of(*beside), device->time_of(*a_end));
  EXPECT_GE(device->time_of(*behind), device->time_of(*a_end));
}

/// In a process of its own, since a fault stays.
[[noreturn]] void fault_and_tell() {
  const auto device = make_accelerator("cuda:0");
  std::promise<Reaper::Fault> told;
  {
    Reaper reaper{"cuda:0", *device, [&](const Reaper::Fault& fault) { told.set_value(fault); }};
    const auto slow = device->make_stream();
    const auto faulty = device->make_stream();
    std::vector<std::promise<bool>> done(3);
    const auto launch = [&](const char* stage, Stream& stream, int index, const std::function<void()>& work) {
      reaper.begin(
          {.stage = stage, .firing = 1, .stream = &stream, .queued_at = steady_now_ns(), .begin = stream.record()});
      work();
      reaper.end(&stream, {.completion = std::make_shared<Completion>(stream.record(), &stream),
                           .done = [&done, index](const DeviceTimes* times) {
                             done[static_cast<std::size_t>(index)].set_value(times != nullptr);
                           }});
    };
    launch("early", *slow, 0, [&] { slow->sleep(milliseconds{1}); });
    const bool early_done = done[0].get_future().get();
    launch("faulty", *faulty, 1, [&] {
      faulty->sleep(milliseconds{30});
      std::this_thread::sleep_for(milliseconds{5});  // it is under way when a kernel beside it faults
      queue_mark(reinterpret_cast<std::uint64_t*>(8), 1, nullptr);
    });
    launch("behind", *faulty, 2, [&] { faulty->sleep(milliseconds{1}); });
    const bool faulty_done = done[1].get_future().get();
    const bool behind_done = done[2].get_future().get();
    const Reaper::Fault fault = told.get_future().get();
    std::cerr << "early " << early_done << " faulty " << faulty_done << " behind " << behind_done << " blamed "
              << fault.stage << ": " << fault.what << "\n";
  }
  std::_Exit(0);
}

TEST_F(CudaAcceleratorTest, AFaultIsBlamedOnItsOwnStage) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(fault_and_tell(), testing::ExitedWithCode(0),
              "early 1 faulty 0 behind 0 blamed faulty: cudaErrorIllegalAddress");
}

/// What a thread that waits for the device prints.
std::string printed_by_waiting_thread(const std::function<void()>& begin) {
  testing::internal::CaptureStderr();
  std::thread{[&] {
    begin();
    c10::cuda::stream_synchronize(c10::cuda::getCurrentCUDAStream(0));
  }}.join();
  return testing::internal::GetCapturedStderr();
}

TEST_F(CudaAcceleratorTest, WhatWorkersWaitForIsNotPrinted) {
  const auto device = make_accelerator("cuda:0");
  const auto stream = device->make_stream();
  stream->enter(StreamUse::kFiring);  // from here on LibTorch notices host waits
  EXPECT_THAT(printed_by_waiting_thread([] {}), testing::HasSubstr("synchronizing"));
  EXPECT_EQ(printed_by_waiting_thread(adopt_worker_thread), "");
  stream->leave();
  EXPECT_EQ(device->usage().host_waits, 0);
}

}  // namespace
}  // namespace dflash
