// SPDX-License-Identifier: Apache-2.0
#include "framework/report/path_latency.h"

#include <gmock/gmock.h>

namespace dflash {
namespace {

using testing::AllOf;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

auto part(PathPart::Kind kind, const std::string& name, double ns) {
  return AllOf(Field(&PathPart::kind, kind), Field(&PathPart::name, name), Field(&PathPart::mean_ns, DoubleEq(ns)));
}

constexpr auto kFiring = PathPart::Kind::kFiring;
constexpr auto kDevice = PathPart::Kind::kDevice;
constexpr auto kWaiting = PathPart::Kind::kWaiting;

/// source -> pack (one item of two) -> queue -> sink
Timeline packing_pipeline() {
  Timeline timeline;
  timeline.stages.resize(4);
  timeline.stages[0] = {.name = "source",
                        .firings = {{.number = 1, .begin = 0, .end = 10}, {.number = 2, .begin = 10, .end = 20}}};
  timeline.stages[1] = {.name = "pack",
                        .firings = {{.number = 1, .begin = 12, .end = 13}, {.number = 2, .begin = 25, .end = 30}}};
  timeline.stages[2] = {.name = "queue",
                        .firings = {{.number = 1, .begin = 31, .end = 32}, {.number = 2, .begin = 50, .end = 51}}};
  timeline.stages[3] = {.name = "sink", .firings = {{.number = 1, .begin = 60, .end = 100}}};
  timeline.edges = {{.name = "a", .from_stage = 0, .to_stage = 1},
                    {.name = "b", .from_stage = 1, .to_stage = 2},
                    {.name = "c", .from_stage = 2, .to_stage = 3}};
  timeline.edges[0].items = {{.from_firing = 1, .to_firing = 1}, {.from_firing = 2, .to_firing = 2}};
  timeline.edges[1].items = {{.from_firing = 2, .to_firing = 1}};
  timeline.edges[2].items = {{.from_firing = 2, .to_firing = 1}};
  timeline.buffers = {{.stage = 2, .items = {{.from_firing = 1, .to_firing = 2}}}};
  return timeline;
}

TEST(PathLatencies, FollowTheLastItemThroughAPackerAndABuffer) {
  const std::vector<PathLatency> paths = path_latencies(packing_pipeline());
  ASSERT_EQ(paths.size(), 1U);
  EXPECT_THAT(paths[0].stages, ElementsAre("source", "pack", "queue", "sink"));
  EXPECT_EQ(paths[0].total.count(), 1);
  EXPECT_EQ(paths[0].total.max(), 90);
  EXPECT_THAT(paths[0].parts,
              ElementsAre(part(kFiring, "source", 10), part(kWaiting, "a", 5), part(kFiring, "pack", 5),
                          part(kWaiting, "b", 1), part(kFiring, "queue", 1), part(kWaiting, "queue", 18),
                          part(kFiring, "queue", 1), part(kWaiting, "c", 9), part(kFiring, "sink", 40)));
}

TEST(PathLatencies, SumToTheWhole) {
  const PathLatency path = path_latencies(packing_pipeline()).front();
  double sum = 0.0;
  for (const PathPart& one : path.parts) {
    sum += one.mean_ns;
  }
  EXPECT_DOUBLE_EQ(sum, path.total.mean());
}

TEST(PathLatencies, TellTheDevicesTimeFromTheWaiting) {
  Timeline timeline;
  timeline.stages = {{.name = "kernel",
                      .firings = {{.number = 1, .begin = 0, .end = 2}},
                      .device_firings = {{.number = 1, .queued = 0, .begin = 1, .end = 20}}},
                     {.name = "host", .firings = {{.number = 1, .begin = 25, .end = 26}}}};
  timeline.edges = {{.name = "e", .from_stage = 0, .to_stage = 1, .items = {{.from_firing = 1, .to_firing = 1}}}};
  EXPECT_THAT(path_latencies(timeline).front().parts,
              ElementsAre(part(kFiring, "kernel", 2), part(kDevice, "kernel", 18), part(kWaiting, "e", 5),
                          part(kFiring, "host", 1)));
}

TEST(PathLatencies, EndWithTheBodyAndNotWithWhatIsDoneBetweenSteps) {
  Timeline timeline;
  timeline.stages = {{.name = "source", .firings = {{.number = 1, .begin = 0, .end = 2}}},
                     {.name = "step", .firings = {{.number = 1, .begin = 3, .end = 1005, .between = 1000}}}};
  timeline.edges = {{.name = "e", .from_stage = 0, .to_stage = 1, .items = {{.from_firing = 1, .to_firing = 1}}}};
  EXPECT_THAT(path_latencies(timeline).front().parts,
              ElementsAre(part(kFiring, "source", 2), part(kWaiting, "e", 1), part(kFiring, "step", 2)));
}

TEST(PathLatencies, FollowTheInputThatCameLast) {
  Timeline timeline;
  timeline.stages = {{.name = "quick", .firings = {{.number = 1, .begin = 0, .end = 1}}},
                     {.name = "slow", .firings = {{.number = 1, .begin = 0, .end = 9}}},
                     {.name = "both", .firings = {{.number = 1, .begin = 10, .end = 11}}}};
  timeline.edges = {
      {.name = "q", .from_stage = 0, .to_stage = 2, .items = {{.from_firing = 1, .to_firing = 1, .pushed = 1}}},
      {.name = "s", .from_stage = 1, .to_stage = 2, .items = {{.from_firing = 1, .to_firing = 1, .pushed = 9}}}};
  const std::vector<PathLatency> paths = path_latencies(timeline);
  ASSERT_EQ(paths.size(), 1U);
  EXPECT_THAT(paths[0].stages, ElementsAre("slow", "both"));
}

TEST(PathLatencies, PassAnyNumberOfBuffers) {
  Timeline timeline;
  timeline.stages = {{.name = "source", .firings = {{.number = 1, .begin = 0, .end = 1}}},
                     {.name = "q", .firings = {{.number = 1, .begin = 2}, {.number = 2, .begin = 3}}},
                     {.name = "r", .firings = {{.number = 1, .begin = 4}, {.number = 2, .begin = 5}}},
                     {.name = "sink", .firings = {{.number = 1, .begin = 6, .end = 7}}}};
  timeline.edges = {{.name = "sq", .from_stage = 0, .to_stage = 1, .items = {{.from_firing = 1, .to_firing = 1}}},
                    {.name = "qr", .from_stage = 1, .to_stage = 2, .items = {{.from_firing = 2, .to_firing = 1}}},
                    {.name = "rs", .from_stage = 2, .to_stage = 3, .items = {{.from_firing = 2, .to_firing = 1}}}};
  timeline.buffers = {{.stage = 1, .items = {{.from_firing = 1, .to_firing = 2}}},
                      {.stage = 2, .items = {{.from_firing = 1, .to_firing = 2}}}};
  const std::vector<PathLatency> paths = path_latencies(timeline);
  ASSERT_EQ(paths.size(), 1U);
  EXPECT_THAT(paths[0].stages, ElementsAre("source", "q", "r", "sink"));
  EXPECT_EQ(paths[0].total.max(), 7);
}

TEST(PathLatencies, LeaveOutWaysThatWereLostOrGoRound) {
  Timeline timeline = packing_pipeline();
  timeline.edges[0].items.pop_back();
  EXPECT_THAT(path_latencies(timeline), IsEmpty());
  Timeline loop;
  loop.stages = {{.name = "a", .firings = {{.number = 1}}}, {.name = "b", .firings = {{.number = 1}}}};
  loop.edges = {{.name = "ab", .from_stage = 0, .to_stage = 1, .items = {{.from_firing = 1, .to_firing = 1}}},
                {.name = "ba", .from_stage = 1, .to_stage = 0, .items = {{.from_firing = 1, .to_firing = 1}}}};
  EXPECT_THAT(path_latencies(loop), IsEmpty());
  EXPECT_THAT(path_latencies({}), IsEmpty());
}

}  // namespace
}  // namespace dflash
