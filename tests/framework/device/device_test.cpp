// SPDX-License-Identifier: Apache-2.0
#include "framework/device/device.h"

#include <gmock/gmock.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(ResolveDevice, KeepsTheCpu) { EXPECT_EQ(resolve_device("cpu"), "cpu"); }

TEST(ResolveDevice, TakesTheFirstCudaDeviceWhereThereIsOne) {
  EXPECT_EQ(resolve_device("auto"), cuda_devices().empty() ? "cpu" : "cuda:0");
}

TEST(ResolveDevice, RefusesAnotherWord) {
  for (const char* word : {"gpu", "cuda", "cuda:", "cuda:x", "cuda:0x", "cuda:-1", ""}) {
    EXPECT_THAT([word] { resolve_device(word); }, ThrowsMessage<UserError>(HasSubstr("allowed: auto, cpu, cuda:0")))
        << word;
  }
}

TEST(ResolveDevice, SaysWhyADeviceCannotBeHad) {
  EXPECT_THAT([] { resolve_device("cuda:99"); }, ThrowsMessage<UserError>(HasSubstr("'cuda:99' cannot be had: ")));
}

}  // namespace
}  // namespace dflash
