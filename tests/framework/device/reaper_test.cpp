// SPDX-License-Identifier: Apache-2.0
#include "framework/device/reaper.h"

#include <future>
#include <optional>
#include <vector>

#include <gmock/gmock.h>

#include "framework/device/sim_accelerator.h"
#include "framework/telemetry/steady_clock.h"

namespace dflash {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

/// A firing's work on a simulated stream, and what became of it.
struct Probe {
  std::shared_ptr<Completion> completion;
  std::promise<std::optional<DeviceSpan>> ended;

  std::optional<DeviceSpan> span() { return ended.get_future().get(); }
};

Launch launch(SimStream& stream, const std::string& stage, Probe& probe, const std::function<void()>& work) {
  Launch made{.stage = stage, .firing = 7, .stream = &stream, .queued_at = steady_now_ns(), .begin = stream.record()};
  work();
  made.completion = probe.completion = std::make_shared<Completion>(stream.record(), &stream);
  made.done = [&probe](const DeviceSpan* span) {
    probe.ended.set_value(span != nullptr ? std::optional{*span} : std::nullopt);
  };
  return made;
}

class ReaperTest : public testing::Test {
 protected:
  SimAccelerator device_;
  SimStream a_{device_};
  SimStream b_{device_};
  std::vector<std::string> faults_;
  Reaper reaper_{"sim:0", device_,
                 [this](const Reaper::Fault& fault) { faults_.push_back(fault.stage + ": " + fault.what); }};
};

TEST_F(ReaperTest, TellsWhenWorkIsDoneAndHowLongItTook) {
  Probe first;
  Probe second;
  reaper_.add(launch(a_, "a", first, [&] { a_.launch(milliseconds{3}); }));
  reaper_.add(launch(a_, "a", second, [&] { a_.launch(milliseconds{1}); }));
  const std::optional<DeviceSpan> one = first.span();
  const std::optional<DeviceSpan> two = second.span();
  ASSERT_TRUE(one && two);
  EXPECT_GE(one->end - one->begin, 3'000'000);
  EXPECT_GE(two->begin, one->end);
  EXPECT_GE(two->end - two->begin, 1'000'000);
  EXPECT_TRUE(first.completion->is_done());
  EXPECT_GE(first.completion->done_at(), one->end);
  const DeviceRecord record = reaper_.record();
  EXPECT_EQ(record.firings, 2);
  EXPECT_EQ(record.busy_ns, one->end - one->begin + two->end - two->begin);
}

TEST_F(ReaperTest, AStreamDoesNotWaitForAnother) {
  Probe slow;
  Probe quick;
  reaper_.add(launch(a_, "a", slow, [&] { a_.launch(milliseconds{200}); }));
  reaper_.add(launch(b_, "b", quick, [&] { b_.launch(milliseconds{1}); }));
  EXPECT_TRUE(quick.span());
  EXPECT_FALSE(slow.completion->is_done());
  EXPECT_TRUE(slow.span());
}

TEST_F(ReaperTest, OverlappingWorkCountsOnceInTheDevicesTime) {
  Probe one;
  Probe other;
  reaper_.add(launch(a_, "a", one, [&] { a_.launch(milliseconds{5}); }));
  reaper_.add(launch(b_, "b", other, [&] { b_.launch(milliseconds{5}); }));
  const DeviceSpan first = *one.span();
  const DeviceSpan second = *other.span();
  const DeviceRecord record = reaper_.record();
  EXPECT_EQ(record.span_ns, first.end - first.begin + second.end - second.begin);
  EXPECT_EQ(record.busy_ns, std::max(first.end, second.end) - std::min(first.begin, second.begin));
}

TEST_F(ReaperTest, AFaultIsBlamedOnTheWorkThatHadBegun) {
  Probe done;
  Probe faulty;
  Probe behind;
  Probe innocent;
  reaper_.add(launch(b_, "early", done, [&] { b_.launch(milliseconds{1}); }));
  reaper_.add(launch(b_, "faulty", faulty, [&] {
    b_.launch(milliseconds{2});
    b_.launch_faulty("illegal address");
  }));
  reaper_.add(launch(b_, "behind", behind, [&] { b_.launch(milliseconds{1}); }));
  a_.wait(faulty.completion->event());
  reaper_.add(launch(a_, "innocent", innocent, [&] { a_.launch(milliseconds{1}); }));
  EXPECT_TRUE(done.span());
  EXPECT_FALSE(faulty.span());
  EXPECT_FALSE(behind.span());
  EXPECT_FALSE(innocent.span());
  EXPECT_TRUE(innocent.completion->is_done()) << "who waits for it must not wait for ever";
  EXPECT_THAT(faults_, ElementsAre("faulty: illegal address"));
}

TEST_F(ReaperTest, OtherWorkThatWasUnderWayIsNamedToo) {
  std::vector<std::string> beside;
  Probe faulty;
  Probe other;
  Reaper reaper{"sim:0", device_, [&](const Reaper::Fault& fault) { beside = fault.beside; }};
  reaper.add(launch(a_, "faulty", faulty, [&] {
    a_.launch(milliseconds{20});
    a_.launch_faulty("illegal address");
  }));
  reaper.add(launch(b_, "other", other, [&] { b_.launch(milliseconds{200}); }));
  EXPECT_FALSE(faulty.span());
  EXPECT_FALSE(other.span());
  EXPECT_THAT(beside, ElementsAre("'other'"));
}

TEST_F(ReaperTest, WorkOfABodyThatSawTheFaultItselfIsBlamedToo) {
  Probe probe;
  Launch open = launch(a_, "careless", probe, [&] { a_.launch_faulty("misaligned address"); });
  open.completion = nullptr;
  reaper_.add(std::move(open));
  EXPECT_FALSE(probe.span());
  EXPECT_THAT(faults_, ElementsAre("careless: misaligned address"));
  Probe later;
  reaper_.add(launch(b_, "later", later, [] {}));
  EXPECT_FALSE(later.span());
  EXPECT_EQ(faults_.size(), 1U);
}

}  // namespace
}  // namespace dflash
