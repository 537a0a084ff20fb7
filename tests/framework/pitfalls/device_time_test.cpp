// SPDX-License-Identifier: Apache-2.0
// D29 and D30 on a simulated device: whose time its work is, and that it is counted once.
#include <chrono>
#include <cstdint>

#include <gmock/gmock.h>

#include "tests/framework/kernel_chain.h"

namespace dflash {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

double median(const Histogram& times) { return static_cast<double>(times.quantile(0.5)); }

TEST(D29, TheKernelsTimeIsItsOwnStages) {
  KernelChain chain{20, milliseconds{10}, nanoseconds{0}};
  const RunRecord record = chain.run();
  expect_whole(record);
  const StageRecord& first = stage_of(record, "first");
  EXPECT_NEAR(median(first.gpu_span), 10e6, 0.5e6);
  EXPECT_LT(median(first.service), 1e6) << "its body only launches";
  EXPECT_LT(median(stage_of(record, "second").gpu_span), 1e6) << "begins once its input is there";
  const StageRecord& host = stage_of(record, "host");
  EXPECT_LT(median(host.service), 1e6);
  EXPECT_GT(host.gpu_wait_ns, 0);
}

TEST(D29, ASlotThatWaitsForItsDeviceWaitsForNoWorker) {
  for (const std::int64_t replicas : {1, 2}) {
    Placement placement;
    placement.replicas = replicas;
    KernelChain chain{30, milliseconds{10}, nanoseconds{0}, placement, {.items = 16}};
    const RunRecord record = chain.run();
    expect_whole(record);
    const StageRecord& first = stage_of(record, "first");
    EXPECT_GT(first.own_gpu_wait_ns(), first.dispatch_ns) << replicas;
  }
}

TEST(D30, TheDeviceIsNotBusyTwice) {
  KernelChain chain{20, milliseconds{5}, milliseconds{5}};
  const RunRecord record = chain.run();
  expect_whole(record);
  ASSERT_EQ(record.devices.size(), 1U);
  const DeviceRecord& device = record.devices.front();
  EXPECT_LE(device.busy_ns, record.wall_ns);
  EXPECT_GT(device.span_ns, device.busy_ns * 11 / 10);
  EXPECT_EQ(device.firings, 40);
}

}  // namespace
}  // namespace dflash
