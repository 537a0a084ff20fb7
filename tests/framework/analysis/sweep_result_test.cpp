// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/sweep_result.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/framework/analysis/made_records.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

/// Three rounds whose steps take about as long; `spread`: of the rounds, as a share.
SweepRow row(const std::string& name, double step_ns, double spread = 0.001, double loss_factor = 1.0) {
  SweepRow row{.variant = {.name = name, .sets = {"sink.mode=" + name}}};
  for (std::int64_t round = 1; round <= 3; ++round) {
    const double luck = 1.0 + spread * static_cast<double>(round - 2);
    const MadeRun run{.step_ns = static_cast<std::int64_t>(step_ns * luck), .loss_factor = loss_factor};
    row.runs.push_back({.round = round, .run_dir = name + "-" + std::to_string(round), .records = run.records()});
  }
  return row;
}

SweepRow failed(const std::string& name) {
  SweepRow row{.variant = {.name = name}};
  row.runs.push_back({.round = 1, .run_dir = name + "-1", .code = 1, .text = "error: out of luck"});
  return row;
}

TEST(SweepResult, NamesTheBest) {
  const SweepResult result = judge_sweep({row("slow", 20000), row("quick", 10000, 0.001, 2.0), row("middle", 15000)});
  EXPECT_EQ(result.best, 1U);
  EXPECT_THAT(result.sentence, AllOf(StartsWith("The best is 'quick' with 100 % more steps/s (95 %: "),
                                     HasSubstr(") than 'slow', losses differ by up to 50 % (step 1).")));
  EXPECT_NEAR(result.rows[2].against_first->ratio->value, 4.0 / 3.0, 1e-3);
}

TEST(SweepResult, SaysThatTheFirstIsBest) {
  EXPECT_EQ(judge_sweep({row("quick", 10000), row("slow", 20000)}).sentence, "The best is 'quick', the first.");
}

TEST(SweepResult, SaysWhatCannotBeToldApart) {
  EXPECT_THAT(judge_sweep({row("a", 10000, 0.1), row("b", 9900, 0.1)}).sentence,
              StartsWith("The variants cannot be told apart. The fastest was 'b' with 1.0 % more steps/s"));
  EXPECT_THAT(judge_sweep({row("a", 20000), row("b", 10000), row("c", 10010)}).sentence,
              AllOf(StartsWith("The best is 'b'"), HasSubstr("; it cannot be told from 'c'.")));
}

// Ten variants are nine chances to be ahead by luck.
TEST(SweepResult, NeedsMoreToBeSureOfTheBestOfMany) {
  std::vector<SweepRow> rows{row("b", 10000, 0.015), row("a", 10400, 0.015)};
  EXPECT_EQ(judge_sweep(rows).sentence, "The best is 'b', the first.");
  for (int i = 0; i < 8; ++i) {
    rows.push_back(row("c" + std::to_string(i), 10400, 0.015));
  }
  EXPECT_THAT(judge_sweep(rows).sentence, StartsWith("The variants cannot be told apart."));
}

TEST(SweepResult, GoesOnWithoutWhatFailed) {
  const SweepResult result = judge_sweep({failed("broken"), row("a", 20000), row("b", 10000)});
  EXPECT_EQ(result.first, 1U);
  EXPECT_EQ(result.best, 2U);
  EXPECT_THAT(sweep_text(result), HasSubstr("\n  broken-1 failed with code 1: error: out of luck\n"));
  EXPECT_EQ(judge_sweep({failed("broken"), row("a", 20000)}).sentence, "Only 'a' came to its end.");
  EXPECT_EQ(judge_sweep({failed("broken")}).sentence, "No variant came to its end with enough steps to compare.");
}

TEST(SweepResult, IsATable) {
  const std::string text = sweep_text(judge_sweep({row("slow", 20000), row("quick", 10000)}));
  EXPECT_THAT(text, AllOf(StartsWith("  variant  runs  rate (95 %)"), HasSubstr("\n  slow        3  50.0K steps/s ("),
                          HasSubstr("2.000"), HasSubstr("faster  equal\n"), HasSubstr("\nThe best is 'quick' with")));
}

TEST(SweepResult, IsReadByPrograms) {
  const Json json = sweep_json(judge_sweep({row("slow", 20000), row("quick", 10000), failed("broken")}));
  EXPECT_EQ(json.at("best"), "quick");
  ASSERT_THAT(json.at("variants"), SizeIs(3));
  const Json& quick = json.at("variants")[1];
  EXPECT_EQ(quick.at("set")[0], "sink.mode=quick");
  EXPECT_EQ(quick.at("result"), "faster");
  EXPECT_LT(quick.at("low"), quick.at("ratio"));
  EXPECT_EQ(quick.at("equal_loss"), true);
  EXPECT_EQ(quick.at("unit"), "steps/s");
  EXPECT_EQ(quick.at("runs")[2].at("run_dir"), "quick-3");
  EXPECT_EQ(json.at("variants")[2].at("runs")[0].at("text"), "error: out of luck");
  EXPECT_TRUE(json.at("variants")[2].at("ratio").is_null());
}

TEST(SweepResult, KeepsOfRecordsWhatItCompares) {
  const RunRecords run = MadeRun{.step_ns = 1234}.records();
  const RunRecords kept = kept_records(run);
  EXPECT_THAT(kept.timeline.stages, SizeIs(1));
  EXPECT_THAT(kept.timeline.edges, SizeIs(0));
  EXPECT_EQ(compare_throughput({run}, {kept}).ratio->value, 1.0);
}

}  // namespace
}  // namespace dflash
