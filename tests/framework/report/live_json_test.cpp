// SPDX-License-Identifier: Apache-2.0
#include "framework/report/live_json.h"

#include <limits>

#include <gmock/gmock.h>

#include "framework/core/json_syntax.h"

namespace dflash {
namespace {

LiveRun some_run() {
  LiveRun run{.graph = "train", .activity = "drawing breath"};
  run.view.is_under_way = true;
  run.progress = {.elapsed_s = 10.0, .steps = 200, .first_step = 100, .total_steps = 800};
  run.progress.metrics = {{"loss", 2.25}};
  run.view.wall_ns = 10'000'000'000;
  run.view.stages = {{.name = "target", .type = "target_forward", .busy_ns = 1'500'000'000},
                     {.name = "drafter", .waiting_slots = 1, .waiting_ns = 5'000'000, .lacks = Lack::kInput}};
  run.view.edges = {{.name = "a->b", .from_stage = 0, .to_stage = 1, .capacity_items = 4, .items = 9, .fill = 2}};
  run.view.devices = {{.name = "sim:0", .memory_bytes = 77}};
  return run;
}

TEST(LiveJson, TellsWhereTheRunStands) {
  const Json json = live_json(some_run());
  EXPECT_EQ(json["schema"], "dflash-live/1");
  EXPECT_EQ(json["graph"], "train");
  EXPECT_EQ(json["phase"], "running");
  EXPECT_EQ(json["activity"], "drawing breath");
  EXPECT_EQ(json["steps"], 200);
  EXPECT_EQ(json["wall_s"], 10.0);
  EXPECT_EQ(json["progress"],
            (Json{{"unit", "step"}, {"done", 200}, {"total", 800}, {"first", 100}, {"left_s", 60.0}}));
}

TEST(LiveJson, TellsHowTheRunEnded) {
  LiveRun run = some_run();
  EXPECT_EQ(live_json(run)["outcome"], nullptr);
  run.end = {.outcome = {.code = 1, .text = "stage 'a' failed"}, .verdict = "None.", .run_dir = "runs/x"};
  EXPECT_EQ(live_json(run)["phase"], "ended");
  EXPECT_EQ(live_json(run)["outcome"],
            (Json{{"code", 1}, {"text", "stage 'a' failed"}, {"verdict", "None."}, {"run_dir", "runs/x"}}));
}

TEST(LiveJson, DoesNotGuessTheEndOfARunThatHasNone) {
  LiveRun run = some_run();
  run.progress.total_steps = 0;
  EXPECT_EQ(live_json(run)["progress"]["total"], nullptr);
  EXPECT_EQ(live_json(run)["progress"]["left_s"], nullptr);
}

TEST(LiveJson, TellsOfStagesEdgesAndDevices) {
  const Json json = live_json(some_run());
  EXPECT_EQ(json["stages"][0]["name"], "target");
  EXPECT_EQ(json["stages"][0]["type"], "target_forward");
  EXPECT_EQ(json["stages"][0]["busy_s"], 1.5);
  EXPECT_EQ(json["stages"][0]["lacks"], "");
  EXPECT_EQ(json["stages"][1]["lacks"], "input");
  EXPECT_EQ(json["stages"][1]["waiting_s"], 0.005);
  EXPECT_EQ(json["edges"][0], (Json{{"name", "a->b"},
                                    {"from", "target"},
                                    {"to", "drafter"},
                                    {"is_buffer", false},
                                    {"capacity_items", 4},
                                    {"items", 9},
                                    {"fill", 2},
                                    {"is_full", false},
                                    {"drops", 0}}));
  EXPECT_EQ(json["devices"][0]["memory_bytes"], 77);
}

TEST(LiveJson, IsJsonWhereAMetricIsNotANumber) {
  LiveRun run = some_run();
  run.progress.metrics["loss"] = std::numeric_limits<double>::quiet_NaN();
  const Json json = Json::parse(text_of(live_json(run)));
  EXPECT_EQ(json["metrics"]["loss"], nullptr);
}

}  // namespace
}  // namespace dflash
