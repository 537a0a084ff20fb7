// SPDX-License-Identifier: Apache-2.0
#include "framework/device/reaper.h"

#include <atomic>
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

void begin(Reaper& reaper, SimStream& stream, const std::string& stage) {
  reaper.begin(
      {.stage = stage, .firing = 7, .stream = &stream, .queued_at = steady_now_ns(), .begin = stream.record()});
}

void end(Reaper& reaper, SimStream& stream, Probe& probe, std::shared_ptr<Completion> completion) {
  reaper.end(&stream, {.completion = std::move(completion), .done = [&probe](const DeviceTimes* times) {
                         probe.ended.set_value(times != nullptr ? std::optional{times->whole} : std::nullopt);
                       }});
}

void launch(Reaper& reaper, SimStream& stream, const std::string& stage, Probe& probe,
            const std::function<void()>& work) {
  begin(reaper, stream, stage);
  work();
  probe.completion = std::make_shared<Completion>(stream.record(), &stream);
  end(reaper, stream, probe, probe.completion);
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
  launch(reaper_, a_, "a", first, [&] { a_.launch(milliseconds{3}); });
  launch(reaper_, a_, "a", second, [&] { a_.launch(milliseconds{1}); });
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

TEST_F(ReaperTest, TellsTheTimesOfTheNamedParts) {
  std::promise<DeviceTimes> told;
  begin(reaper_, a_, "a");
  std::vector<LaunchPart> parts;
  LaunchPart& part = parts.emplace_back(LaunchPart{.name = 3, .begin = a_.stamp(), .end = nullptr});
  a_.launch(milliseconds{2});
  part.end = a_.stamp();
  a_.launch(milliseconds{1});
  reaper_.end(&a_, {.completion = std::make_shared<Completion>(a_.record(), &a_),
                    .parts = std::move(parts),
                    .done = [&told](const DeviceTimes* times) { told.set_value(*times); }});
  const DeviceTimes times = told.get_future().get();
  ASSERT_EQ(times.parts.size(), 1U);
  const auto& [name, span] = times.parts.front();
  EXPECT_EQ(name, 3U);
  EXPECT_GE(span.begin, times.whole.begin);
  EXPECT_GE(span.end - span.begin, 2'000'000);
  EXPECT_GE(times.whole.end - span.end, 1'000'000);
}

TEST_F(ReaperTest, NotesWhatTheDeviceHasUsed) {
  const auto memory = device_.allocate(1000);
  Probe probe;
  launch(reaper_, a_, "a", probe, [&] { a_.launch(milliseconds{1}); });
  ASSERT_TRUE(probe.span());
  DeviceTimeline timeline = reaper_.timeline();
  for (int looks = 0; timeline.usage.empty() && looks < 1000; ++looks) {  // it is noted after the launch is told done
    std::this_thread::sleep_for(milliseconds{1});
    timeline = reaper_.timeline();
  }
  EXPECT_EQ(timeline.name, "sim:0");
  ASSERT_EQ(timeline.usage.size(), 1U);
  EXPECT_EQ(timeline.usage[0].memory_bytes, 1000);
  EXPECT_EQ(timeline.usage[0].allocations, 1);
}

/// Has allocated more at each look.
class GrowingAccelerator final : public Accelerator {
 public:
  std::unique_ptr<Stream> make_stream() override { return nullptr; }
  bool has_happened(const StreamEvent&) override { return true; }
  std::int64_t time_of(const StreamEvent&) override { return 0; }
  std::string fault() override { return ""; }
  bool happened_before_fault(const StreamEvent&) override { return true; }
  void synchronize() override {}
  AcceleratorUsage usage() override {
    ++looks_;
    return {.memory_high_bytes = looks_, .memory_bytes = looks_, .allocations = looks_};
  }

 private:
  std::int64_t looks_ = 0;
};

TEST(Reaper, TellsOfADeviceByOneLookAtIt) {
  GrowingAccelerator device;
  Reaper reaper{"sim:0", device, [](const Reaper::Fault&) {}};
  for (int i = 0; i < 3; ++i) {
    const LiveDevice live = reaper.live();
    EXPECT_EQ(live.name, "sim:0");
    EXPECT_EQ(live.memory_bytes, live.memory_high_bytes);
    EXPECT_EQ(live.memory_bytes, i + 1);
  }
}

TEST_F(ReaperTest, AStreamDoesNotWaitForAnother) {
  Probe slow;
  Probe quick;
  launch(reaper_, a_, "a", slow, [&] { a_.launch(milliseconds{200}); });
  launch(reaper_, b_, "b", quick, [&] { b_.launch(milliseconds{1}); });
  EXPECT_TRUE(quick.span());
  EXPECT_FALSE(slow.completion->is_done());
  EXPECT_TRUE(slow.span());
}

TEST_F(ReaperTest, OverlappingWorkCountsOnceInTheDevicesTime) {
  Probe one;
  Probe other;
  launch(reaper_, a_, "a", one, [&] { a_.launch(milliseconds{5}); });
  launch(reaper_, b_, "b", other, [&] { b_.launch(milliseconds{5}); });
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
  launch(reaper_, b_, "early", done, [&] { b_.launch(milliseconds{1}); });
  launch(reaper_, b_, "faulty", faulty, [&] {
    b_.launch(milliseconds{2});
    b_.launch_faulty("illegal address");
  });
  launch(reaper_, b_, "behind", behind, [&] { b_.launch(milliseconds{1}); });
  a_.wait(faulty.completion->event());
  launch(reaper_, a_, "innocent", innocent, [&] { a_.launch(milliseconds{1}); });
  EXPECT_TRUE(done.span());
  EXPECT_FALSE(faulty.span());
  EXPECT_FALSE(behind.span());
  EXPECT_FALSE(innocent.span());
  EXPECT_TRUE(innocent.completion->is_done()) << "who waits for it must not wait for ever";
  EXPECT_THAT(faults_, ElementsAre("faulty: illegal address"));
}

TEST(Reaper, CountsWorkThatWasDoneBeforeAFaultWhicheverStreamTellsOfItFirst) {
  for (const bool swapped : {false, true}) {
    std::atomic<std::int64_t> now{0};
    SimAccelerator device{{.clock = [&now] { return now.load(); }}};
    SimStream first{device};
    SimStream second{device};
    SimStream& faulting = swapped ? first : second;
    SimStream& waiting = swapped ? second : first;
    Probe done;
    Probe faulty;
    Probe innocent;
    Reaper reaper{"sim:0", device, [](const Reaper::Fault& fault) { EXPECT_EQ(fault.stage, "faulty"); }};
    launch(reaper, faulting, "early", done, [&] { faulting.launch(milliseconds{1}); });
    launch(reaper, faulting, "faulty", faulty, [&] {
      faulting.launch(milliseconds{2});
      faulting.launch_faulty("illegal address");
    });
    waiting.wait(faulty.completion->event());
    launch(reaper, waiting, "innocent", innocent, [&] { waiting.launch(milliseconds{1}); });
    now = 10'000'000;  // the reaper finds all of it at once, as on a busy machine
    EXPECT_TRUE(done.span()) << swapped;
    EXPECT_FALSE(faulty.span());
    EXPECT_FALSE(innocent.span());
  }
}

TEST_F(ReaperTest, OtherWorkThatWasUnderWayIsNamedToo) {
  std::vector<std::string> beside;
  Probe faulty;
  Probe other;
  Reaper reaper{"sim:0", device_, [&](const Reaper::Fault& fault) { beside = fault.beside; }};
  launch(reaper, a_, "faulty", faulty, [&] {
    a_.launch(milliseconds{20});
    a_.launch_faulty("illegal address");
  });
  launch(reaper, b_, "other", other, [&] { b_.launch(milliseconds{200}); });
  EXPECT_FALSE(faulty.span());
  EXPECT_FALSE(other.span());
  EXPECT_THAT(beside, ElementsAre("'other'"));
}

TEST_F(ReaperTest, AFiringThatStillQueuesWorkCanBeToBlame) {
  Probe probe;
  Probe innocent;
  begin(reaper_, a_, "faulty");
  a_.launch_faulty("illegal address");
  launch(reaper_, b_, "innocent", innocent, [&] { b_.launch(milliseconds{1}); });
  EXPECT_FALSE(innocent.span());
  EXPECT_THAT(faults_, ElementsAre("faulty: illegal address"));
  end(reaper_, a_, probe, std::make_shared<Completion>(a_.record(), &a_));
  EXPECT_FALSE(probe.span());
}

TEST_F(ReaperTest, WorkOfABodyThatSawTheFaultItselfIsBlamedToo) {
  Probe probe;
  begin(reaper_, a_, "careless");
  a_.launch_faulty("misaligned address");
  end(reaper_, a_, probe, nullptr);
  EXPECT_FALSE(probe.span());
  EXPECT_THAT(faults_, ElementsAre("careless: misaligned address"));
  Probe later;
  launch(reaper_, b_, "later", later, [] {});
  EXPECT_FALSE(later.span());
  EXPECT_EQ(faults_.size(), 1U);
}

}  // namespace
}  // namespace dflash
