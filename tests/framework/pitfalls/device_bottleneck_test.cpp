// SPDX-License-Identifier: Apache-2.0
// D27 on a simulated device.
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include <gmock/gmock.h>

#include "tests/framework/device_stages.h"
#include "tests/framework/pitfalls/known_bottleneck.h"

namespace dflash {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// source -> first -> second -> host on a simulated device; the body of `first` sleeps for `launch`. Returns `second`.
KernelStage& plant_on_device(PlantedPipeline& planted, microseconds launch, microseconds kernel,
                             microseconds second_kernel = microseconds{300}) {
  planted.options.device = "sim:0";
  planted.may_wait_for_workers = true;  // the device's one thread
  auto& source = planted.graph.add<NumberSource>("source", kItems);
  auto& first = planted.note("first", launch, planted.graph.add<KernelStage>("first", kernel));
  auto& second = planted.graph.add<KernelStage>("second", second_kernel);
  auto& host = planted.graph.add<HostStage>("host");
  first.on_fire = [launch] { std::this_thread::sleep_for(launch); };
  planted.graph.connect(source.out, first.in);
  planted.graph.connect(first.out, second.in);
  planted.graph.connect(second.out, host.in);
  return second;
}

TEST_F(D27, ASlowKernelIsTheDevices) {
  run([](PlantedPipeline& planted) { plant_on_device(planted, microseconds{0}, milliseconds{4}); });
  expect_bottleneck("first", VerdictKind::kGpuSpan);
}

TEST_F(D27, ASlowKernelIsTheDevicesInAStageWithReplicasToo) {
  run([](PlantedPipeline& planted) {
    planted.options.device = "sim:0";
    planted.may_wait_for_workers = true;
    Placement three;
    three.replicas = 3;
    auto owned = std::make_unique<KernelStage>(milliseconds{12});
    auto& source = planted.graph.add<NumberSource>("source", kItems);
    auto& slow = planted.note("slow", microseconds{0}, *owned);
    planted.graph.add_stage("slow", KernelStage::info(), std::move(owned), std::move(three));
    auto& host = planted.graph.add<HostStage>("host");
    planted.graph.connect(source.out, slow.in, {.items = 16});
    planted.graph.connect(slow.out, host.in, {.items = 16});
  });
  expect_bottleneck("slow", VerdictKind::kGpuSpan);
}

// The second stage's bodies go on beside its work on the device, so that it needs no more of the wall than the longer
// of them.
TEST_F(D27, ABodyThatRunsAheadOfItsDeviceIsNoBottleneck) {
  run([](PlantedPipeline& planted) {
    auto& second = plant_on_device(planted, microseconds{0}, milliseconds{8}, microseconds{4800});
    planted.note("second", milliseconds{4}, second).on_fire = [] { std::this_thread::sleep_for(milliseconds{4}); };
  });
  expect_bottleneck("first", VerdictKind::kGpuSpan);
}

TEST_F(D27, ASlowLaunchIsTheHosts) {
  run([](PlantedPipeline& planted) { plant_on_device(planted, milliseconds{4}, microseconds{500}); });
  expect_bottleneck("first", VerdictKind::kLaunch);
}

// What a GPU does to a body that launches more kernels than its queue takes: it waits in the launch.
TEST_F(D27, AKernelThatMakesTheNextBodyWaitInItsLaunchIsTheDevices) {
  run([](PlantedPipeline& planted) {
    auto& second = plant_on_device(planted, microseconds{0}, milliseconds{4}, microseconds{800});
    planted.note("second", microseconds{4800}, second).synchronizes = true;
  });
  expect_bottleneck("first", VerdictKind::kGpuSpan);
}

TEST_F(D27, AKernelThatMakesItsOwnBodyWaitIsTheDevices) {
  run([](PlantedPipeline& planted) {
    planted.options.device = "sim:0";
    planted.may_wait_for_workers = true;
    auto& source = planted.graph.add<NumberSource>("source", kItems);
    auto& slow = planted.note("slow", milliseconds{4}, planted.graph.add<KernelStage>("slow", milliseconds{4}));
    slow.synchronizes = true;
    auto& host = planted.graph.add<HostStage>("host");
    planted.graph.connect(source.out, slow.in);
    planted.graph.connect(slow.out, host.in);
  });
  expect_bottleneck("slow", VerdictKind::kGpuSpan);
}

}  // namespace
}  // namespace dflash
