// SPDX-License-Identifier: Apache-2.0
#include "framework/device/sim_accelerator.h"

#include <chrono>

#include <gmock/gmock.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

using std::chrono::nanoseconds;
using testing::HasSubstr;

/// A device on a clock that stands still until it is set.
class SimAcceleratorTest : public testing::Test {
 protected:
  std::int64_t now_ = 1000;
  SimAccelerator device_{{.memory_bytes = 100, .copy_bytes_per_s = 1e9, .clock = [this] { return now_; }}};
  SimStream a_{device_};
  SimStream b_{device_};
};

TEST_F(SimAcceleratorTest, AStreamWorksInOrderAndAnEventHappensAtItsEnd) {
  a_.launch(nanoseconds{10});
  const auto first = a_.record();
  a_.launch(nanoseconds{5});
  const auto second = a_.record();
  EXPECT_FALSE(device_.has_happened(*first));
  now_ = 1010;
  EXPECT_TRUE(device_.has_happened(*first));
  EXPECT_FALSE(device_.has_happened(*second));
  now_ = 1015;
  EXPECT_TRUE(device_.has_happened(*second));
  EXPECT_EQ(device_.time_of(*first), 1010);
  EXPECT_EQ(device_.time_of(*second), 1015);
}

TEST_F(SimAcceleratorTest, StreamsOverlapUnlessOneWaitsForTheOther) {
  a_.launch(nanoseconds{10});
  b_.launch(nanoseconds{10});
  EXPECT_EQ(device_.time_of(*b_.record()), 1010);
  b_.wait(*a_.record());
  a_.launch(nanoseconds{10});
  b_.wait(*a_.record());
  b_.launch(nanoseconds{3});
  EXPECT_EQ(device_.time_of(*b_.record()), 1023);
}

TEST_F(SimAcceleratorTest, AnIdleStreamBeginsNow) {
  now_ = 5000;
  EXPECT_EQ(device_.time_of(*a_.record()), 5000);
}

TEST_F(SimAcceleratorTest, CopiesOfOneDirectionShareAnEngine) {
  a_.copy(10, SimStream::Direction::kToHost);
  b_.copy(10, SimStream::Direction::kToHost);
  EXPECT_EQ(device_.time_of(*b_.record()), 1020);
  SimStream c{device_};
  c.copy(10, SimStream::Direction::kToDevice);
  EXPECT_EQ(device_.time_of(*c.record()), 1010);
}

TEST_F(SimAcceleratorTest, NothingOfWhatIsQueuedBehindAFaultHappens) {
  a_.launch(nanoseconds{10});
  const auto before = a_.record();
  a_.launch_faulty("illegal address");
  const auto behind = a_.record();
  b_.launch(nanoseconds{100});
  const auto beside = b_.record();
  EXPECT_EQ(device_.fault(), "");
  now_ = 1010;
  EXPECT_EQ(device_.fault(), "illegal address");
  EXPECT_THROW((void)device_.has_happened(*behind), DeviceError);
  EXPECT_TRUE(device_.happened_before_fault(*before));
  EXPECT_FALSE(device_.happened_before_fault(*behind));
  now_ = 1100;
  EXPECT_THROW((void)device_.has_happened(*beside), DeviceError);
  a_.launch(nanoseconds{10});  // does nothing, and overflows nothing
}

TEST_F(SimAcceleratorTest, MemoryIsFiniteAndFreedWithItsHandle) {
  auto most = device_.allocate(80);
  try {
    (void)device_.allocate(21);
    FAIL() << "more than there is";
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("out of memory: 21 bytes asked for, 80 of 100 allocated"));
  }
  most.reset();
  EXPECT_EQ(device_.allocated_bytes(), 0);
  (void)device_.allocate(100);
  EXPECT_EQ(device_.usage().memory_high_bytes, 100);
  EXPECT_EQ(device_.usage().allocations, 2);
}

TEST_F(SimAcceleratorTest, KernelsGoToTheStreamThatTheThreadHasEntered) {
  EXPECT_THROW((void)SimStream::current(), InternalError);
  a_.enter(StreamUse::kFiring);
  b_.enter(StreamUse::kOther);
  EXPECT_EQ(&SimStream::current(), &b_);
  b_.leave();
  EXPECT_EQ(&SimStream::current(), &a_);
  a_.leave();
  EXPECT_THROW((void)SimStream::current(), InternalError);
}

TEST(SimAccelerator, SynchronisingBlocksTheHostAndIsCountedWithinFirings) {
  SimAccelerator device;
  SimStream stream{device};
  stream.enter(StreamUse::kFiring);
  stream.launch(std::chrono::milliseconds{2});
  const auto end = stream.record();
  EXPECT_FALSE(device.has_happened(*end));
  stream.synchronize();
  EXPECT_TRUE(device.has_happened(*end));
  stream.leave();
  stream.enter(StreamUse::kOther);
  stream.synchronize();
  stream.leave();
  EXPECT_EQ(device.usage().host_waits, 1);
}

}  // namespace
}  // namespace dflash
