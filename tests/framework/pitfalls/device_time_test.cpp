// SPDX-License-Identifier: Apache-2.0
// D29 and D30 on a simulated device: whose time its work is, and that it is counted once.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

#include <gmock/gmock.h>

#include "framework/telemetry/span_union.h"
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
    EXPECT_GT(first.gpu_wait_ns, first.dispatch_ns) << replicas;
  }
}

/// In which a body of a stage with one slot ran, without what was hidden, or its work was under way, as its log has it.
std::int64_t logged_in_work(const StageTimeline& stage) {
  SpanUnion in_work;
  for (const DeviceEvent& work : stage.device_firings) {
    const FiringEvent& body = *std::ranges::find(stage.firings, work.number, &FiringEvent::number);
    in_work.add(body.begin + work.hidden, body.end);
    in_work.add(work.begin, work.end);
  }
  return in_work.covered();
}

TEST(D29, ABodyBeforeTheDeviceHasDoneTheFiringBeforeItIsWorkToo) {
  KernelChain chain{30, milliseconds{10}, milliseconds{2}};
  chain.second->on_fire = [] { std::this_thread::sleep_for(milliseconds{5}); };
  const RunRecord record = chain.run();
  expect_whole(record);
  const StageRecord& second = stage_of(record, "second");
  const auto timeline = std::ranges::find(record.timeline.stages, "second", &StageTimeline::name);
  const auto logged = static_cast<double>(logged_in_work(*timeline));
  EXPECT_NEAR(static_cast<double>(second.gpu_in_work_ns), logged, 0.05 * logged);
  EXPECT_GT(second.gpu_in_work_ns, second.own_body_ns()) << "the device worked while no body ran";
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

// By default no edge holds more than four items, and each firing on the device keeps its item's place.
TEST(D30, ReplicasShareTheFewItemsThatThereAre) {
  Placement three;
  three.replicas = 3;
  KernelChain chain{30, milliseconds{12}, nanoseconds{0}, std::move(three)};
  const RunRecord record = chain.run();
  expect_whole(record);
  const DeviceRecord& device = record.devices.front();
  EXPECT_GT(device.span_ns, device.busy_ns * 9 / 4) << "all three work at once nearly all of the time";
}

}  // namespace
}  // namespace dflash
