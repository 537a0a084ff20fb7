// SPDX-License-Identifier: Apache-2.0
#include "framework/report/report_json.h"

#include <gmock/gmock.h>

#include "tests/framework/report/simulated_chain.h"

namespace dflash {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) {
    keys.push_back(key);
  }
  return keys;
}

RunReport small_report() {
  RunRecord record = simulate(constant_chain({"a", "b"}, {500'000, 2'000'000}, 200));
  record.stages[1].spans.push_back({.name = "forward", .count = 200, .ns = 300'000'000});
  record.stages[1].counters["rows_rejected"] = 3;
  return make_run_report("small", std::move(record), 1.5);
}

TEST(ReportJson, HasTheDocumentedKeys) {
  const Json json = report_json(small_report());
  EXPECT_THAT(keys_of(json), ElementsAre("schema", "graph", "outcome", "wall_s", "total_s", "steps", "verdict",
                                         "throughput", "stages", "edges", "paths", "devices", "lanes", "what_if",
                                         "self_checks", "instrumentation", "training", "errors", "provenance"));
  EXPECT_THAT(keys_of(json["outcome"]), ElementsAre("code", "text"));
  EXPECT_THAT(keys_of(json["verdict"]), ElementsAre("text", "stage", "kind", "share"));
  EXPECT_THAT(keys_of(json["self_checks"][0]), ElementsAre("name", "ok", "value", "limit"));
}

TEST(ReportJson, HasTheDocumentedKeysOfStagesAndEdges) {
  const Json json = report_json(small_report());
  EXPECT_THAT(keys_of(json["stages"][0]),
              IsSupersetOf({"name", "type", "firings", "slots", "busy_s", "blocked_out_s", "starved_in_s", "gpu_wait_s",
                            "dispatch_s", "ended_s", "unaccounted_s", "p50_s", "p90_s", "p99_s", "max_s", "launch_s",
                            "gpu_queue_s", "gpu_span_s", "spans"}));
  EXPECT_THAT(keys_of(json["edges"][0]),
              IsSupersetOf({"name", "capacity_items", "capacity_bytes", "items", "bytes", "mean_fill", "max_fill",
                            "full_s", "empty_s", "residence_p50_s", "residence_p99_s", "drops", "oversize"}));
}

TEST(ReportJson, SaysWhatTheRunMadeOfWhatItCould) {
  const Json json = report_json(small_report());
  EXPECT_EQ(json["graph"], "small");
  EXPECT_EQ(json["throughput"]["unit"], "firings/s of 'b'");
  EXPECT_THAT(json["throughput"]["bound"].get<double>(), DoubleNear(500.0, 1e-6));
  EXPECT_EQ(json["throughput"]["limit"], "b");
  EXPECT_EQ(json["throughput"]["limit_kind"], "stage");
  EXPECT_THAT(json["throughput"]["gap"].get<double>(), DoubleNear(1.0 - 0.4 / 0.4005, 1e-9));
}

TEST(ReportJson, SaysWhatWasPlantedIntoAStage) {
  RunReport report = small_report();
  report.planted["b"] = "firing 7 fails (inject.throw_at)";
  const Json json = report_json(report);
  EXPECT_FALSE(json["stages"][0].contains("planted"));
  EXPECT_EQ(json["stages"][1]["planted"], "firing 7 fails (inject.throw_at)");
}

TEST(ReportJson, CountsTheSteps) {
  RunReport report = small_report();
  report.record.steps = 123;
  EXPECT_EQ(report_json(report)["steps"], 123);
}

TEST(ReportJson, NamesTheEndsOfEdges) {
  const Json json = report_json(small_report());
  EXPECT_EQ(json["edges"][0]["from"], "a");
  EXPECT_EQ(json["edges"][0]["to"], "b");
  EXPECT_EQ(json["edges"][0]["is_buffer"], false);
}

TEST(ReportJson, GivesTimesInSeconds) {
  const Json json = report_json(small_report());
  EXPECT_THAT(json["wall_s"].get<double>(), DoubleNear(0.4005, 1e-9));
  EXPECT_THAT(json["stages"][1]["busy_s"].get<double>(), DoubleNear(0.4, 1e-9));
  EXPECT_THAT(json["stages"][1]["p50_s"].get<double>(), DoubleNear(0.002, 0.002 * 0.032));
  EXPECT_THAT(json["stages"][1]["spans"]["forward"].get<double>(), DoubleNear(0.3, 1e-9));
  EXPECT_EQ(json["total_s"], 1.5);
}

TEST(ReportJson, HasDeviceTimesOnlyWhereThereWasADevice) {
  RunReport report = small_report();
  EXPECT_TRUE(report_json(report)["stages"][1]["gpu_span_s"].is_null());
  StageRecord& stage = report.record.stages[1];
  stage.device_firings = 2;
  stage.gpu_queue_ns = 500'000'000;
  stage.gpu_span.record(1'000'000'000);
  report.record.devices = {{.name = "sim:0", .firings = 2, .busy_ns = 250'000'000, .span_ns = 500'000'000}};
  const Json json = report_json(report);
  EXPECT_EQ(json["stages"][1]["gpu_queue_s"], 0.5);
  EXPECT_THAT(json["stages"][1]["gpu_span_s"].get<double>(), DoubleNear(1.0, 0.032));
  EXPECT_EQ(json["stages"][1]["launch_s"], json["stages"][1]["busy_s"]);
  EXPECT_THAT(keys_of(json["devices"][0]), ElementsAre("name", "firings", "busy_s", "span_s", "memory_high_bytes",
                                                       "allocations", "frees", "maps", "unmaps", "host_waits"));
  EXPECT_EQ(json["devices"][0]["busy_s"], 0.25);
}

TEST(ReportJson, TellsWhatWasDoneBetweenSteps) {
  RunReport report = small_report();
  StageRecord& stage = report.record.stages[1];
  stage.device_firings = 2;
  stage.between_ns = 500'000'000;
  stage.busy_ns = 750'000'000;
  const Json json = report_json(report)["stages"][1];
  EXPECT_EQ(json["between_steps_s"], 0.5);
  EXPECT_EQ(json["busy_s"], 0.75);
  EXPECT_EQ(json["launch_s"], 0.25);
}

TEST(ReportJson, TakesSummariesByTheirNames) {
  RunReport report = small_report();
  report.summaries = {{"training", {{"steps", 40}}}, {"export", {{"format", "zlab"}}}};
  const Json json = report_json(report);
  EXPECT_EQ(json["training"]["steps"], 40);
  EXPECT_EQ(json["export"]["format"], "zlab");
}

TEST(ReportJson, TellsTheOutcomeAndEveryError) {
  RunReport report = small_report();
  report.record.outcome = {.code = 1, .text = "stage 'b' failed"};
  report.record.errors = {"first", "second"};
  const Json json = report_json(report);
  EXPECT_EQ(json["outcome"]["code"], 1);
  EXPECT_EQ(json["errors"], Json({"first", "second"}));
}

TEST(ReportJson, IsWholeForARunInWhichNothingFired) {
  const Json json = report_json(make_run_report("empty", RunRecord{}, 0.1));
  EXPECT_EQ(json["verdict"]["kind"], "none");
  EXPECT_TRUE(json["stages"].empty());
}

}  // namespace
}  // namespace dflash
