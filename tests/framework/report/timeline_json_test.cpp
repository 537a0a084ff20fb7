// SPDX-License-Identifier: Apache-2.0
#include "framework/report/timeline_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/json_syntax.h"

namespace dflash {
namespace {

using testing::HasSubstr;
using testing::Property;
using testing::ThrowsMessage;

Timeline small_timeline() {
  Timeline timeline{.wall_ns = 1000};
  timeline.stages.push_back({.name = "source", .lane = "cpu", .firings = {{.number = 1, .begin = 5, .end = 10}}});
  timeline.stages.push_back({.name = "queue", .lane = "cpu"});
  timeline.stages.push_back(
      {.name = "sink",
       .lane = "gpu0",
       .device = "sim:0",
       .slots = 2,
       .makes_steps = true,
       .firings =
           {{.number = 1, .slot = 1, .free = 0, .ready = 10, .begin = 12, .end = 30, .starved = 3, .between = 7}},
       .device_firings =
           {{.number = 1, .slot = 1, .queued = 13, .begin = 14, .end = 60, .seen = 61, .hidden = 2, .lag = 40}},
       .span_names = {"forward", "backward"},
       .spans = {{.number = 1, .slot = 1, .name = 1, .begin = 15, .end = 20}},
       .device_spans = {{.number = 1, .slot = 1, .name = 0, .begin = 16, .end = 50}},
       .lost = 3,
       .whole_since = 30});
  timeline.edges.push_back(
      {.name = "source.out->queue.in",
       .from_stage = 0,
       .to_stage = 1,
       .capacity_items = 4,
       .blocks = false,
       .items = {{.seq = 0, .from_firing = 1, .to_firing = 1, .pushed = 10, .popped = 12, .bytes = 8}},
       .lost = 7});
  timeline.buffers.push_back({.stage = 1, .capacity_items = 60, .min_ready = 4, .items = {{.seq = 2}}, .lost = 1});
  timeline.devices.push_back({.name = "sim:0", .usage = {{.at = 9, .memory_bytes = 100, .maps = 2, .host_waits = 1}}});
  timeline.lanes.push_back({.name = "cpu", .workers = 3});
  timeline.steps = {{.step = 1, .at = 30}};
  timeline.steps_lost = 2;
  return timeline;
}

auto says(const std::string& words) { return ThrowsMessage<UserError>(HasSubstr(words)); }

TEST(TimelineJson, ComesBackAsItWas) {
  const Json written = timeline_json(small_timeline());
  const Timeline read = read_timeline(parse_or_discard(text_of(written)), "timeline.json");
  EXPECT_EQ(timeline_json(read), written);
  EXPECT_EQ(read.stages[2].firings[0].gpu_wait(), 7);
  EXPECT_EQ(read.stages[2].firings[0].body_end(), 23);
  EXPECT_EQ(read.stages[2].whole_since, 30);
  EXPECT_EQ(read.stages[2].device_spans[0].end, 50);
  EXPECT_TRUE(read.stages[2].makes_steps);
  EXPECT_EQ(read.stages[2].span_names[1], "backward");
  EXPECT_EQ(read.edges[0].items[0].popped, 12);
  EXPECT_FALSE(read.edges[0].blocks);
  EXPECT_EQ(read.buffers[0].min_ready, 4);
  EXPECT_EQ(read.devices[0].usage[0].maps, 2);
}

TEST(TimelineJson, RefusesAnotherSchema) {
  Json json = timeline_json(small_timeline());
  json["schema"] = "dflash-timeline/9";
  EXPECT_THAT([&] { read_timeline(json, "a/timeline.json"); },
              says("'a/timeline.json': found schema 'dflash-timeline/9', allowed: 'dflash-timeline/2'"));
}

TEST(TimelineJson, RefusesWhatDoesNotFitTogether) {
  const auto with = [](const char* pointer, const Json& value) {
    return [=] {
      Json json = timeline_json(small_timeline());
      json[Json::json_pointer{pointer}] = value;
      (void)read_timeline(json, "t");
    };
  };
  EXPECT_THAT(with("/stages/2/firings/end", Json::array()), says("column 'end' has another length than 'number'"));
  EXPECT_THAT(with("/stages/2/firings/end/0", "x"), says("'t' is damaged"));
  EXPECT_THAT(with("/stages/2/spans/name/0", 2), says("it names span 2 of 2"));
  EXPECT_THAT(with("/edges/0/to_stage", 3), says("it names stage 3 of 3"));
  EXPECT_THAT(with("/buffers/0/stage", -1), says("it names stage -1 of 3"));
  EXPECT_THAT(with("/wall_ns", std::int64_t{1} << 60), says("allowed: at most 2^53"));
  EXPECT_THAT(with("/steps", 1), says("'t' is damaged"));
  EXPECT_THAT(with("/stages/2/firings/between", Json({1, 2})), says("column 'between' has another length"));
  EXPECT_THAT([] { read_timeline(Json{1}, "t"); }, says("it is no JSON object"));
}

}  // namespace
}  // namespace dflash
