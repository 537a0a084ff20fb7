// SPDX-License-Identifier: Apache-2.0
#include "framework/report/trace_json.h"

#include <cmath>
#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include "framework/core/error.h"
#include "framework/core/json_syntax.h"
#include "framework/report/timeline_json.h"
#include "tests/support/any_json.h"

namespace dflash {
namespace {

using ::testing::ElementsAre;

/// A source feeds a sink on a device twice.
Timeline two_items() {
  Timeline timeline{.wall_ns = 100'000};
  timeline.stages.push_back(
      {.name = "source",
       .firings = {{.number = 1, .begin = 0, .end = 10'000},
                   {.number = 2, .free = 10'000, .ready = 10'000, .begin = 10'000, .end = 20'000}}});
  timeline.stages.push_back(
      {.name = "sink",
       .device = "sim:0",
       .firings = {{.number = 1, .ready = 10'000, .begin = 11'000, .end = 30'000, .starved = 10'000},
                   {.number = 2, .free = 30'000, .ready = 30'000, .begin = 31'000, .end = 50'000}},
       .device_firings = {{.number = 1, .queued = 12'000, .begin = 20'000, .end = 45'000}},
       .span_names = {"forward"},
       .spans = {{.number = 2, .begin = 32'000, .end = 33'500}},
       .device_spans = {{.number = 1, .begin = 21'000, .end = 22'000}}});
  timeline.edges.push_back(
      {.name = "source.out->sink.in",
       .from_stage = 0,
       .to_stage = 1,
       .capacity_items = 4,
       .items = {{.seq = 0, .from_firing = 1, .to_firing = 1, .pushed = 10'000, .popped = 11'000},
                 {.seq = 1, .from_firing = 2, .to_firing = 2, .pushed = 20'500, .popped = 31'000}}});
  timeline.devices.push_back({.name = "sim:0", .usage = {{.at = 40'000, .memory_bytes = 77, .host_waits = 1}}});
  timeline.steps = {{.step = 1, .at = 30'000}, {.step = 2, .at = 50'000}};
  return timeline;
}

Json trace_of(const Timeline& timeline, std::int64_t most = kMostTraceEvents) {
  std::ostringstream out;
  write_trace(timeline, "train", out, most);
  return parse_or_discard(out.str());
}

std::vector<std::string> lines_of(const Json& trace, const std::string& phase) {
  std::vector<std::string> lines;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] == phase) {
      const std::string end = event.contains("dur") ? fmt::format("+{}", event["dur"].get<double>()) : "";
      const std::string value = phase == "C" ? "=" + event["args"].front().dump() : "";
      lines.push_back(fmt::format("{}.{} {} {}{}{}", event["pid"].get<int>(), event["tid"].get<int>(),
                                  event["name"].get<std::string>(), event["ts"].get<double>(), end, value));
    }
  }
  return lines;
}

TEST(TraceJson, HasASliceForEachFiringPartAndStep) {
  EXPECT_THAT(lines_of(trace_of(two_items()), "X"),
              ElementsAre("1.0 step 1 0+30", "1.0 step 2 30+20", "1.1 source #1 0+10", "1.1 source #2 10+10",
                          "1.2 sink #1 11+19", "1.2 sink #2 31+19", "1.2 forward 32+1.5", "3.1 sink #1 20+25",
                          "3.1 forward 21+1"));
}

TEST(TraceJson, CountsWhatIsOnEdgesAndDevices) {
  EXPECT_THAT(
      lines_of(trace_of(two_items()), "C"),
      ElementsAre("3.0 memory 40=77", "3.0 host waits 40=1", "2.0 source.out->sink.in 10=1",
                  "2.0 source.out->sink.in 11=0", "2.0 source.out->sink.in 20.5=1", "2.0 source.out->sink.in 31=0"));
}

TEST(TraceJson, ArrowsLeadFromWithinAFiringToTheBeginOfAnother) {
  const Json trace = trace_of(two_items());
  EXPECT_THAT(lines_of(trace, "s"), ElementsAre("1.1 source.out->sink.in 9.999", "1.1 source.out->sink.in 19.999"));
  EXPECT_THAT(lines_of(trace, "f"), ElementsAre("1.2 source.out->sink.in 11", "1.2 source.out->sink.in 31"));
}

TEST(TraceJson, NamesItsTracks) {
  std::map<std::string, std::string> names;
  Timeline timeline = two_items();
  timeline.stages[0].firings[1].slot = 1;
  timeline.stages[0].slots = 2;
  const Json trace = trace_of(timeline);
  for (const Json& event : trace["traceEvents"]) {
    if (event["name"] == "thread_name" || event["name"] == "process_name") {
      names[fmt::format("{}.{}", event["pid"].get<int>(), event["tid"].get<int>())] +=
          event["args"]["name"].get<std::string>() + ";";
    }
  }
  EXPECT_EQ(names["1.0"], "stages;steps;");
  EXPECT_EQ(names["1.1"], "source slot 1;");
  EXPECT_EQ(names["1.2"], "source slot 2;");
  EXPECT_EQ(names["1.3"], "sink;");
  EXPECT_EQ(names["2.0"], "edges and buffers;");
  EXPECT_EQ(names["3.0"], "sim:0;");
  EXPECT_EQ(names["3.1"], "sink;");
}

TEST(TraceJson, SaysHowLongAFiringWaitedAndForWhat) {
  const Json trace = trace_of(two_items());
  for (const Json& event : trace["traceEvents"]) {
    if (event["name"] == "sink #1" && event["pid"] == 1) {
      EXPECT_EQ(event["args"]["waited_us"], 11.0);
      EXPECT_EQ(event["args"]["waited_for"], "input");
    }
    if (event["name"] == "source #2") {
      EXPECT_EQ(event["args"]["waited_for"], "nothing");
    }
  }
}

TEST(TraceJson, KeepsTheNewestWhereThereIsNoRoomForAll) {
  Timeline timeline = two_items();
  timeline.stages[0].lost = 5;
  timeline.steps_lost = 2;
  std::ostringstream out;
  const TraceGaps gaps = write_trace(timeline, "train", out, 9);
  const Json trace = parse_or_discard(out.str());
  // The newest nine: step 2, its firing, a device's firing and usage (two), the second item (four).
  EXPECT_THAT(lines_of(trace, "X"),
              ElementsAre("1.0 step 2 30+20", "1.2 sink #2 31+19", "1.2 forward 32+1.5", "3.1 sink #1 20+25"));
  EXPECT_EQ(gaps.lost, 7);
  EXPECT_GT(gaps.left_out, 0);
  EXPECT_EQ(trace["otherData"]["events_left_out"], gaps.left_out);
  EXPECT_EQ(trace["otherData"]["events_lost_by_the_timeline"], 7);
  EXPECT_TRUE(lines_of(trace, "s").empty()) << "its maker is left out";
}

TEST(TraceJson, IsWholeForARunInWhichNothingFired) { EXPECT_EQ(trace_of(Timeline{})["otherData"]["graph"], "train"); }

/// The slice that is under way on a track at a time; null where there is none.
const Json* slice_at(const Json& trace, const Json& event) {
  const double at = event["ts"].get<double>();
  const double slack = std::abs(at) * 1e-12;  // of doubles
  for (const Json& slice : trace["traceEvents"]) {
    if (slice["ph"] != "X" || slice["pid"] != event["pid"] || slice["tid"] != event["tid"]) {
      continue;
    }
    const double begin = slice["ts"].get<double>();
    if (begin - slack <= at && at <= begin + slice["dur"].get<double>() + slack) {
      return &slice;
    }
  }
  return nullptr;
}

RC_GTEST_PROP(TraceJson, AnyChangeOfATimelineIsATraceOrRefused, ()) {
  Timeline timeline;
  try {
    timeline = read_timeline(mutated(timeline_json(two_items())), "timeline.json");
  } catch (const UserError&) {
    RC_SUCCEED("refused");
  }
  const Json trace = trace_of(timeline, *rc::gen::inRange<std::int64_t>(0, 30));
  RC_ASSERT(trace.is_object());
  for (const Json& event : trace["traceEvents"]) {
    const bool is_arrow = event["ph"] == "s" || event["ph"] == "f";
    RC_ASSERT((!is_arrow || slice_at(trace, event) != nullptr));
  }
}

}  // namespace
}  // namespace dflash
