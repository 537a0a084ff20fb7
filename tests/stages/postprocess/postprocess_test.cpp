// SPDX-License-Identifier: Apache-2.0
#include "stages/postprocess/postprocess.h"

#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/stage_runner.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::ThrowsMessage;

StepMetrics step_metrics(std::int64_t step, float loss) {
  return {.stage = "drafter",
          .step = step,
          .tokens = 100,
          .lr = 0.5,
          .names = {"loss", "grad_norm"},
          .values = at::tensor({loss, 2.0F}),
          .phase_seconds = {{"forward", 0.25}}};
}

std::vector<Json> lines_of(const std::filesystem::path& path) {
  std::ifstream file{path};
  std::vector<Json> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(Json::parse(line));
  }
  return lines;
}

TEST(Postprocess, WritesOneLineAStepWithItsNamedValues) {
  const TemporaryFolder folder;
  Postprocess postprocess;
  StageRunner runner{postprocess, StageEnv{.run_dir = folder.path()}};
  runner.feed(postprocess.metrics, step_metrics(1, 7.0F));
  runner.feed(postprocess.metrics, step_metrics(2, 5.0F));
  runner.run_until_end(2);
  const std::vector<Json> lines = lines_of(folder.path() / "metrics.jsonl");
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[1].at("step"), 2);
  EXPECT_EQ(lines[1].at("loss"), 5.0F);
  EXPECT_EQ(lines[1].at("grad_norm"), 2.0F);
  EXPECT_EQ(lines[1].at("lr"), 0.5);
  EXPECT_EQ(lines[1].at("tokens"), 100);
  EXPECT_GT(lines[1].at("tokens_per_s"), 0.0);
  EXPECT_EQ(lines[1].at("phase_s").at("forward"), 0.25);
}

TEST(Postprocess, TellsTheRunFirstAndLastLoss) {
  const TemporaryFolder folder;
  Postprocess postprocess;
  StageRunner runner{postprocess, StageEnv{.run_dir = folder.path()}};
  for (const std::int64_t step : {1, 2, 3}) {
    runner.feed(postprocess.metrics, step_metrics(step, 8.0F - static_cast<float>(step)));
  }
  runner.run_until_end(3);
  const Json training = runner.log().summaries().at("training");
  EXPECT_EQ(training.at("steps"), 3);
  EXPECT_EQ(training.at("tokens"), 300);
  EXPECT_EQ(training.at("loss_first"), 7.0F);
  EXPECT_EQ(training.at("loss_last"), 5.0F);
  EXPECT_EQ(runner.log().metrics().at("loss"), 5.0);
}

TEST(Postprocess, SumsUpTheWholeRunWhereItGoesOnWithOne) {
  const TemporaryFolder folder;
  RunLog log;
  log.set_summary("training", {{"steps", 2},
                               {"tokens", 1000},
                               {"tokens_per_s", 1e9},
                               {"loss_first", 9.0},
                               {"loss_last", 8.0},
                               {"tau_before", 1.25}});
  Postprocess postprocess;
  StageRunner runner{postprocess, StageEnv{.run_dir = folder.path(), .log = &log}};
  runner.feed(postprocess.metrics, step_metrics(3, 7.0F));
  runner.fire();
  EXPECT_TRUE(log.summaries().at("training").at("tokens_per_s").is_null()) << "one step has no rate yet";
  runner.feed(postprocess.metrics, step_metrics(4, 6.0F));
  runner.fire();
  const Json training = log.summaries().at("training");
  EXPECT_EQ(training.at("steps"), 4);
  EXPECT_EQ(training.at("tokens"), 1200);
  EXPECT_LT(training.at("tokens_per_s"), 1e9);
  EXPECT_EQ(training.at("loss_first"), 9.0);
  EXPECT_EQ(training.at("loss_last"), 6.0F);
  EXPECT_EQ(training.at("tau_before"), 1.25);
}

TEST(Postprocess, AppendsToTheLinesOfARunThatIsResumed) {
  const TemporaryFolder folder;
  std::ofstream{folder.path() / "metrics.jsonl"} << "{\"step\": 1}\n";
  Postprocess postprocess;
  StageRunner runner{postprocess, StageEnv{.run_dir = folder.path()}};
  runner.feed(postprocess.metrics, step_metrics(2, 1.0F));
  runner.fire();
  EXPECT_THAT(lines_of(folder.path() / "metrics.jsonl"), SizeIs(2));
}

TEST(Postprocess, EndsTheRunInTheNameOfTheStageWhoseLossIsNotFinite) {
  const TemporaryFolder folder;
  Postprocess postprocess;
  StageRunner runner{postprocess, StageEnv{.run_dir = folder.path()}};
  runner.feed(postprocess.metrics, step_metrics(7, std::numeric_limits<float>::quiet_NaN()));
  EXPECT_THAT([&] { runner.fire(); }, ThrowsMessage<StageError>(HasSubstr("stage 'drafter' (step 7): ")));
  EXPECT_THAT(lines_of(folder.path() / "metrics.jsonl"), SizeIs(1)) << "the line of that step is there to look at";
}

TEST(Postprocess, SaysWhereItCannotWrite) {
  const TemporaryFolder folder;
  Postprocess postprocess;
  StageRunner runner{postprocess, StageEnv{.run_dir = folder.path() / "missing"}};
  runner.feed(postprocess.metrics, step_metrics(1, 1.0F));
  EXPECT_THAT([&] { runner.fire(); }, ThrowsMessage<UserError>(HasSubstr("missing/metrics.jsonl: No such file")));
}

TEST(Postprocess, SharesTheStepsLaneOnlyInline) {
  Postprocess postprocess;
  EXPECT_FALSE(postprocess.shares_producers_lane());
  postprocess.mode.set(Postprocess::Mode::kInline);
  EXPECT_TRUE(postprocess.shares_producers_lane());
}

}  // namespace
}  // namespace dflash
