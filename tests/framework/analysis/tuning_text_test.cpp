// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/tuning_text.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(TuningText, WritesAnOverlayWithAllEdges) {
  Tuning tuning;
  tuning.capacities = {{.name = "a.out->b.in", .recorded = 4, .advised = 9},
                       {.name = "queue", .is_buffer = true, .recorded = 60, .advised = 12}};
  const Json graph = Json::parse(R"({"stages": {}, "edges": [
      {"from": "a.out", "to": "b.in", "capacity": {"items": 4, "bytes": 2048}, "when_full": "block"},
      {"from": "b.out", "to": "c.in", "capacity": {"items": 4}}]})");
  EXPECT_EQ(tuning_overlay(tuning, graph).dump(),
            R"({"edges":[{"from":"a.out","to":"b.in","capacity":{"items":9,"bytes":2048},"when_full":"block"},)"
            R"({"from":"b.out","to":"c.in","capacity":{"items":4}}],)"
            R"("stages":{"queue":{"params":{"capacity":12}}}})");
}

Tuning made_tuning() {
  Tuning tuning{.wall_ns = 2000, .unlimited_ns = 1000, .advised_ns = 1005, .budget_bytes = 1'000'000};
  tuning.capacities = {{.name = "bursts.out->steady.in", .recorded = 1, .advised = 4, .item_bytes = 1000}};
  return tuning;
}

TEST(TuningText, TellsPeopleAndProgramsTheSame) {
  const Tuning tuning = made_tuning();
  EXPECT_THAT(tuning_text(tuning), AllOf(HasSubstr("bursts.out->steady.in"), HasSubstr("allowed: 976.6 KiB")));
  const Json json = tuning_json(tuning);
  EXPECT_EQ(json.at("capacities").at(0).at("recorded_items"), 1);
  EXPECT_EQ(json.at("keeps_throughput"), true);
  EXPECT_EQ(json.at("budget_bytes"), 1'000'000);
  Tuning bound = tuning;
  bound.keeps_throughput = false;
  EXPECT_THAT(tuning_text(bound), HasSubstr("the budget forbids"));
}

TEST(TuningText, NeverPromisesMoreThanUnlimitedRoom) {
  Tuning tuning = made_tuning();
  tuning.advised_ns = 980;  // less room has changed the order of things for the better
  EXPECT_THAT(tuning_text(tuning), AllOf(HasSubstr("the recorded capacities have 50 %"),
                                         HasSubstr("the advised ones 100 %"), Not(HasSubstr("102 %"))));
}

TEST(TuningText, CallsTheBaselineNoAccuracy) {
  EXPECT_THAT(tuning_text(made_tuning()), AllOf(HasSubstr("as it must"), Not(HasSubstr("off by 0 %"))));
}

TEST(TuningText, ReadsBoundsInBytes) {
  const TuningLimits limits = limits_in(Json::parse(R"({"edges": [
      {"from": "a.out", "to": "b.in", "capacity": {"items": 4, "bytes": 2048}},
      {"from": "b.out", "to": "c.in", "capacity": {"items": 4}}],
      "stages": {"a": {}, "b": {"params": {"capacity_bytes": null}}, "c": {"params": {"capacity_bytes": 77}}}})"));
  EXPECT_EQ(limits.most_bytes, (std::map<std::string, std::int64_t>{{"a.out->b.in", 2048}, {"c", 77}}));
  EXPECT_THROW((void)limits_in(Json::parse(R"({"edges": [{"from": 1}], "stages": {}})")), Json::exception);
}

}  // namespace
}  // namespace dflash
