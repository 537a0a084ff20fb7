// SPDX-License-Identifier: Apache-2.0
#include "stages/models/device_copy.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "framework/device/device.h"

namespace dflash {
namespace {

TEST(DeviceCopy, ReturnsWhatIsThereAlready) {
  const at::Tensor values = at::arange(5);
  EXPECT_TRUE(to_device(values, at::kCPU).is_same(values));
  EXPECT_TRUE(to_host(values).is_same(values));
}

TEST(DeviceCopy, GoesThereAndBackThroughPinnedMemory) {
  if (cuda_devices().empty()) {
    GTEST_SKIP() << no_cuda_reason();
  }
  const at::Device device{"cuda:0"};
  const at::Tensor values = at::arange(1000);
  const at::Tensor back = to_host(to_device(values, device));
  EXPECT_TRUE(back.is_pinned());
  (void)to_device(values, device).cpu();  // waits for all before
  EXPECT_TRUE(at::equal(back, values));
}

}  // namespace
}  // namespace dflash
