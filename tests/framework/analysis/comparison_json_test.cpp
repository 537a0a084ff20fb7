// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/comparison_json.h"

#include <gmock/gmock.h>

#include "tests/framework/analysis/made_records.h"

namespace dflash {
namespace {

using testing::SizeIs;

TEST(ComparisonJson, HasWhatProgramsRelyOn) {
  const Json json =
      comparison_json(compare_runs({MadeRun{.step_ns = 2000}.records()}, {MadeRun{.name = "runs/b"}.records()}));
  EXPECT_EQ(json.at("result"), "faster");
  EXPECT_NEAR(json.at("ratio").get<double>(), 2.0, 1e-9);
  EXPECT_LT(json.at("low"), json.at("ratio"));
  EXPECT_GT(json.at("high"), json.at("ratio"));
  EXPECT_EQ(json.at("equal_loss"), true);
  ASSERT_THAT(json.at("stages"), SizeIs(2));
  const Json& sink = json.at("stages")[1];
  EXPECT_EQ(sink.at("name"), "sink");
  EXPECT_NEAR(sink.at("ratio").get<double>(), 2.0, 1e-9);
  EXPECT_TRUE(sink.contains("low") && sink.contains("high"));
  EXPECT_EQ(json.at("edges")[0].at("name"), "source.out->sink.in");
  EXPECT_EQ(json.at("runs").at("b")[0], "runs/b");
}

TEST(ComparisonJson, HasNullForWhatIsNotKnown) {
  RunRecords run = MadeRun{.steps = 2}.records();
  run.metrics.clear();
  const Json json = comparison_json(compare_runs({run}, {run}));
  EXPECT_EQ(json.at("result"), "undecided");
  for (const char* key : {"ratio", "low", "high", "equal_loss", "loss", "rate_a"}) {
    EXPECT_TRUE(json.at(key).is_null()) << key;
  }
}

TEST(ComparisonJson, TellsWhereLossesDiffer) {
  const Json json = comparison_json(compare_runs({MadeRun{}.records()}, {MadeRun{.loss_factor = 2.0}.records()}));
  EXPECT_EQ(json.at("equal_loss"), false);
  EXPECT_EQ(json.at("loss").at("largest_difference"), 0.5);
  EXPECT_EQ(json.at("loss").at("at_step"), 1);
}

}  // namespace
}  // namespace dflash
