// SPDX-License-Identifier: Apache-2.0
#include "framework/report/page_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include "framework/core/error.h"
#include "framework/core/json_syntax.h"
#include "framework/report/report_json.h"
#include "tests/framework/report/simulated_chain.h"
#include "tests/support/any_json.h"

namespace dflash {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Json chain_report() {
  return report_json(make_run_report("small", simulate(constant_chain({"a", "b", "c"}, {500, 2000, 100}, 20)), 1.5));
}

Timeline chain_timeline() {
  Timeline timeline{.wall_ns = 4'000'000'000};
  timeline.stages.push_back({.name = "a", .firings = {{.number = 1, .begin = 0, .end = 2'000'000'000}}});
  timeline.stages.push_back({.name = "b",
                             .slots = 2,
                             .firings = {{.number = 1,
                                          .ready = 2'000'000'000,
                                          .begin = 2'000'000'000,
                                          .end = 4'000'000'000,
                                          .starved = 2'000'000'000}}});
  timeline.edges.push_back(
      {.name = "a.out->b.in",
       .from_stage = 0,
       .to_stage = 1,
       .capacity_items = 4,
       .items = {{.from_firing = 1, .to_firing = 1, .pushed = 2'000'000'000, .popped = 2'500'000'000}}});
  timeline.steps = {{.step = 1, .at = 4'000'000'000}};
  timeline.devices.push_back({.name = "sim:0", .usage = {{.at = 1'000'000'000, .memory_bytes = 7}}});
  return timeline;
}

TEST(PageData, PlacesTheGraphByTheReport) {
  const Json data = page_data(chain_report(), Timeline{}, {});
  EXPECT_EQ(data["graph"]["stages"], Json::parse(R"([{"layer":0,"row":0},{"layer":1,"row":0},{"layer":2,"row":0}])"));
  EXPECT_EQ(data["graph"]["edges"][1]["from"], 1);
  EXPECT_EQ(data["graph"]["edges"][1]["to"], 2);
  EXPECT_EQ(data["report"], chain_report());
}

TEST(PageData, HasStripsOnlyWhereThereAreEvents) {
  const Json without = page_data(chain_report(), Timeline{.wall_ns = 5}, {});
  for (const char* part : {"time", "latency", "steps", "devices"}) {
    EXPECT_FALSE(without.contains(part)) << part;
  }
  const Json data = page_data(chain_report(), chain_timeline(), {});
  const Json& time = data["time"];
  EXPECT_EQ(time["bins"], 240);
  EXPECT_EQ(time["end_s"], 4.0);
  EXPECT_EQ(time["stages"][0]["busy"][119], 1000);
  EXPECT_EQ(time["stages"][0]["busy"][120], 0);
  EXPECT_EQ(time["stages"][1]["starved_in"][0], 500) << "one of two slots";
  EXPECT_FALSE(time["stages"][0].contains("gpu_wait"));
  EXPECT_EQ(time["edges"][0]["mean"][121], 1.0);
  EXPECT_EQ(data["steps"]["parts"][0]["seconds"], Json({2.0}));
  EXPECT_EQ(data["latency"][1]["stage"], "b");
  EXPECT_EQ(data["latency"][1]["counts"], Json({1}));
  EXPECT_EQ(data["devices"][0]["memory_bytes"], Json({7}));
}

TEST(PageData, ShowsNoIdlenessWhereASlotsFiringsAreNotKept) {
  Timeline timeline = chain_timeline();
  timeline.stages[1].firings = {{.number = 1, .slot = 0, .begin = 0, .end = 10},
                                {.number = 90, .slot = 1, .begin = 2'000'000'000, .end = 3'000'000'000}};
  timeline.stages[1].lost = 80;
  timeline.stages[1].whole_since = 3'000'000'000;
  EXPECT_EQ(page_data(chain_report(), timeline, {})["time"]["begin_s"], 3.0);
  timeline.wall_ns = 3'000'000'000;
  EXPECT_FALSE(page_data(chain_report(), timeline, {}).contains("time")) << "there is nothing to show";
}

TEST(PageData, ShowsHowLongBodiesTake) {
  Timeline timeline = chain_timeline();
  timeline.stages[1].firings[0].between = 1'999'999'000;
  const Json bounds = page_data(chain_report(), timeline, {})["latency"][1]["bounds_s"];
  EXPECT_LE(bounds.front().get<double>(), 1e-6);
  EXPECT_LT(bounds.back().get<double>(), 3e-6);
}

TEST(PageData, ShowsABuffersContentForItsFirings) {
  Timeline timeline = chain_timeline();
  timeline.buffers.push_back({.stage = 1, .capacity_items = 60, .items = {{.pushed = 0, .popped = 4'000'000'000}}});
  const Json data = page_data(chain_report(), timeline, {});
  EXPECT_EQ(data["time"]["stages"].size(), 1);
  EXPECT_EQ(data["time"]["edges"][1]["name"], "b");
  EXPECT_EQ(data["time"]["edges"][1]["mean"][0], 1.0);
  EXPECT_EQ(data["latency"].size(), 1);
}

TEST(PageData, WritesWhatIsNotFiniteAsNull) {
  const Json data =
      page_data(chain_report(), Timeline{}, {Json{{"step", 1}, {"loss", nullptr}}, Json{{"step", 2}, {"loss", 0.1}}});
  EXPECT_EQ(data["metrics"][0]["mean"], Json({nullptr, 0.1}));
  EXPECT_EQ(data["metrics"][0]["not_finite"], 1);
}

TEST(PageData, StaysSmallHoweverLongTheRun) {
  Timeline timeline{.wall_ns = 1'000'000'000'000};
  constexpr std::int64_t kEvents = 4'000;
  for (std::size_t stage = 0; stage < 30; ++stage) {
    timeline.stages.push_back({.name = "stage" + std::to_string(stage), .span_names = {"part"}});
    timeline.edges.push_back(
        {.name = "edge" + std::to_string(stage), .from_stage = stage, .to_stage = stage, .capacity_items = 9});
    for (std::int64_t i = 1; i <= kEvents; ++i) {
      const std::int64_t at = i * 245'000'000 + static_cast<std::int64_t>(stage) * 1'234'567;
      timeline.stages.back().firings.push_back(
          {.number = i, .free = at - 9'999'999, .ready = at, .begin = at + 3, .end = at + 12'345'678});
      timeline.stages.back().spans.push_back({.number = i, .begin = at + 3, .end = at + 4'567'891});
      timeline.edges.back().items.push_back(
          {.from_firing = i, .to_firing = i, .pushed = at, .popped = at + 99'999'999});
    }
  }
  std::vector<Json> lines;
  for (std::int64_t i = 1; i <= kEvents; ++i) {
    timeline.steps.push_back({.step = i, .at = i * 245'000'000});
    lines.push_back({{"step", i}, {"loss", 1.0 / static_cast<double>(i)}});
  }
  EXPECT_LT(text_of(page_data(chain_report(), timeline, lines)).size(), 700'000);
}

TEST(PageData, RefusesWhatIsNoReport) {
  EXPECT_THAT([] { page_data(Json{1}, Timeline{}, {}); },
              ThrowsMessage<UserError>(HasSubstr("'report.json' is damaged")));
  EXPECT_THAT([] { page_data(Json::object(), Timeline{}, {}); }, ThrowsMessage<UserError>(HasSubstr("is damaged")));
}

RC_GTEST_PROP(PageData, AnyChangeOfAReportIsShownOrRefused, ()) {
  const Json report = mutated(chain_report());
  try {
    RC_ASSERT(page_data(report, Timeline{}, {})["report"] == report);
  } catch (const UserError&) {
    RC_SUCCEED("refused");
  }
}

}  // namespace
}  // namespace dflash
