// SPDX-License-Identifier: Apache-2.0
#include "framework/core/graph_changes.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "tests/support/graph_reading.h"

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using GraphChangesTest = GraphReadingTest;

TEST_F(GraphChangesTest, LeadsFromNearlyRightPathsToRightOnes) {
  const auto set = [&](const std::string& text) { return error(kExampleGraph, {.sets = {text}}); };
  EXPECT_EQ(set("steps=3"), "--set steps=3: unknown stage or section 'steps'; did you mean 'run.steps'?");
  EXPECT_EQ(
      set("stages.scale.mode=split"),
      "--set stages.scale.mode=split: a path begins with the stage, its parameter follows; did you mean 'scale.mode'?");
  for (const char* path : {"stages.scale.params.mode", "scale.params.mode"}) {
    EXPECT_THAT(set(std::string{path} + "=split"), HasSubstr("did you mean 'scale.mode'?"));
  }
  EXPECT_EQ(set("data.type=dice"), "--set data.type=dice: the type of a stage is changed by --swap data=dice");
  EXPECT_EQ(error(kExampleGraph, {.swaps = {"data="}}), "--swap data=: found 'data=', allowed: STAGE=TYPE");
}

TEST_F(GraphChangesTest, SetsByPath) {
  const GraphFile file =
      read(kExampleGraph, {.sets = {"scale.mode=concat", "scale.loss.gamma=9", "scale.loss.type=kl", "run.steps=40",
                                    "vars.limit=5", "models.drafter.block_size=4", "scale.taps=[1, 2]", "data.rate=2",
                                    "run.checkpoint.keep_best=1", "run.evaluate.prompts=5", "data.path=a=b"}});
  EXPECT_EQ(stage<ExampleScaler>(file, "scale").mode(), ExampleScaler::Mode::kConcat);
  EXPECT_EQ(stage<ExampleScaler>(file, "scale").loss_gamma(), 9);
  EXPECT_EQ(stage<ExampleScaler>(file, "scale").loss_type(), "kl");
  EXPECT_THAT(stage<ExampleScaler>(file, "scale").taps(), ElementsAre(1, 2));
  EXPECT_EQ(stage<ExampleCounter>(file, "data").limit(), 5);
  EXPECT_EQ(stage<ExampleCounter>(file, "data").rate(), 2.0);
  EXPECT_EQ(stage<ExampleCounter>(file, "data").path(), "a=b");
  EXPECT_EQ(file.run.steps, 40);
  EXPECT_EQ(file.run.keep_best, 1);
  EXPECT_EQ(drafter_.block_size(), 4);
  EXPECT_EQ(evaluation_.prompts(), 5);
  EXPECT_THAT(file.given_models, ElementsAre("target", "drafter"));
}

TEST_F(GraphChangesTest, RefusesSetsThatPointNowhere) {
  const auto set = [&](const std::string& text) { return error(kExampleGraph, {.sets = {text}}); };
  EXPECT_EQ(set("scale.mdoe=split"),
            "--set scale.mdoe=split: /stages/scale/params: unknown parameter of stage type 'scaler': 'mdoe'; did you "
            "mean 'mode'?");
  EXPECT_EQ(set("run.stpes=4"),
            "--set run.stpes=4: /run: unknown parameter of the section run: 'stpes'; did you mean 'steps'?");
  EXPECT_EQ(set("vars.limti=4"), "--set vars.limti=4: unknown variable 'limti'; did you mean 'limit'?");
  EXPECT_EQ(set("models.drafer.path=x"),
            "--set models.drafer.path=x: /models: unknown section 'drafer'; did you mean 'drafter'?");
  EXPECT_THAT(set("scale"), HasSubstr("found 'scale', allowed: PATH=VALUE"));
  EXPECT_THAT(set("scale=3"), HasSubstr("allowed: scale.PARAMETER=VALUE"));
  EXPECT_THAT(set("run=3"), HasSubstr("allowed: run.KEY=VALUE"));
  EXPECT_THAT(set("scale..mode=3"), HasSubstr("allowed: PATH=VALUE"));
  EXPECT_THAT(set("run.steps.more=3"), HasSubstr("'run.steps' is no object"));
  EXPECT_THAT(set("run.steps=2.0"), HasSubstr("--set run.steps=2.0: /run/steps: found 2.0, allowed: integer"));
  EXPECT_THAT(set("run.steps=\xFF"), HasSubstr("no UTF-8"));
  EXPECT_THAT(set("scale.replicas=2"), HasSubstr("--set scale.replicas=2: /stages/scale/replicas: found 2"));
  EXPECT_THAT(set("scale.inject.sleep_mss=300"), HasSubstr("did you mean 'sleep_ms'?"));
}

TEST_F(GraphChangesTest, SwapsAStageAndSaysWhatIsDropped) {
  const GraphFile file = read(kExampleGraph, {.swaps = {"data=dice"}});
  EXPECT_EQ(file.graph.find("data")->info.type, "dice");
  EXPECT_EQ(stage<ExampleDice>(file, "data").limit(), 20);
  EXPECT_THAT(file.warnings, ElementsAre("--swap data=dice: stage type 'dice' has no path; dropped"));
}

TEST_F(GraphChangesTest, RefusesSwapsThatDoNotFit) {
  const auto swap = [&](const std::string& text) { return error(kExampleGraph, {.swaps = {text}}); };
  EXPECT_EQ(swap("dta=dice"), "--swap dta=dice: unknown stage 'dta'; did you mean 'data'?");
  EXPECT_EQ(swap("data=dcie"), "--swap data=dcie: unknown stage type 'dcie'; did you mean 'dice'?");
  EXPECT_THAT(swap("data"), HasSubstr("allowed: STAGE=TYPE"));
  EXPECT_THAT(swap("scale=speller"), HasSubstr("unknown output of stage 'scale' (type 'speller'): 'out'"));
}

// Paths and values of pieces that mean something, in any order: each is read, or its mistakes name the option.
RC_GTEST_FIXTURE_PROP(GraphChangesTest, ReadsOrRefusesAnyOption, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "scale", "data", "run", "vars", "models", "stages", ".", ".", "=", "loss", "type", "limit", "steps", "params",
      "target", "dice", "{\"a\": [1]}", "null", "7", "${limit}", "${", "\xC3", " "));
  const std::string text = fmt::format("{}", fmt::join(pieces, ""));
  const bool swaps = *rc::gen::arbitrary<bool>();
  const std::string message = swaps ? error(kExampleGraph, {.swaps = {text}}) : error(kExampleGraph, {.sets = {text}});
  RC_ASSERT(message.empty() || message.find(swaps ? "--swap" : "--set") != std::string::npos);
}

TEST_F(GraphChangesTest, RefusesAPathDeeperThanAnyGraph) {
  std::string path = "run";
  for (int level = 0; level < 64; ++level) {
    path += ".a";
  }
  EXPECT_THAT(error(kExampleGraph, {.sets = {path + "=3"}}), HasSubstr("has 65 keys, allowed: at most 64"));
}

}  // namespace
}  // namespace dflash
