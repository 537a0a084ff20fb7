// SPDX-License-Identifier: Apache-2.0
#include "framework/core/graph_file.h"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>

#include "framework/core/counter_random.h"
#include "tests/support/graph_reading.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using GraphFileTest = GraphReadingTest;

TEST_F(GraphFileTest, ReadsAWholeGraph) {
  const GraphFile file = read(kExampleGraph);
  EXPECT_EQ(file.name, "example");
  EXPECT_THAT(file.graph.vertices(), testing::SizeIs(4));
  ASSERT_THAT(file.graph.edges(), testing::SizeIs(3));
  EXPECT_EQ(file.graph.edges()[1].name, "scale.out->spell.in");
  EXPECT_EQ(file.graph.edges()[1].capacity.items, 8);
  EXPECT_EQ(file.graph.edges()[1].capacity.bytes, 2048);
  EXPECT_EQ(stage<ExampleScaler>(file, "scale").mode(), ExampleScaler::Mode::kSplit);
  EXPECT_EQ(stage<ExampleScaler>(file, "scale").loss_gamma(), 7);
  EXPECT_EQ(file.run.device, "cpu");
  EXPECT_EQ(file.run.precision, "auto");
  EXPECT_EQ(file.run.steps, 30);
  EXPECT_EQ(file.run.seed, 7U);
  EXPECT_EQ(file.run.checkpoint_every, 10);
  EXPECT_EQ(file.run.keep_last, 2);
  EXPECT_TRUE(file.run.evaluate);
  EXPECT_EQ(evaluation_.prompts(), 3);
  EXPECT_EQ(target_.path(), "a/b");
  EXPECT_THAT(file.given_models, ElementsAre("target"));
  EXPECT_THAT(file.warnings, IsEmpty());
}

TEST_F(GraphFileTest, SwitchesEvaluationOffByFalse) {
  EXPECT_FALSE(read(kExampleGraph, {.sets = {"run.evaluate=false"}}).run.evaluate);
  EXPECT_THAT(error(kExampleGraph, {.sets = {"run.evaluate=true"}}),
              HasSubstr("found true, allowed: an object, or false"));
}

TEST_F(GraphFileTest, NamesTheNearestKey) {
  EXPECT_EQ(error_with("\"stages\":", "\"stagse\":"),
            "2 mistakes:\n"
            "  g.json:7:3: unknown key 'stagse'; did you mean 'stages'?\n"
            "  g.json:1:1: the key 'stages' is missing");
}

TEST_F(GraphFileTest, ReportsAllMistakesOfAPassTogether) {
  std::string text = replaced(std::string{kExampleGraph}, "\"counter\"", "\"conter\"");
  text = replaced(text, "\"gamma\": 7", "\"gama\": 7");
  text = replaced(text, "scale.out", "scale.uot");
  text = replaced(text, "\"steps\": 30", "\"steps\": 2.5");
  text = replaced(text, "\"target\"", "\"taget\"");
  text = replaced(text, "\"seed\": 7", "\"seed\": 7, \"seeds\": 8");
  const std::string message = error(text, {.sets = {"scael.mode=split", "scale.mode=both"}});
  EXPECT_THAT(message,
              AllOf(HasSubstr("8 mistakes:"), HasSubstr("did you mean 'counter'?"), HasSubstr("did you mean 'gamma'?"),
                    HasSubstr("did you mean 'out'?"), HasSubstr("found 2.5, allowed: integer, at least 0"),
                    HasSubstr("did you mean 'target'?"), HasSubstr("did you mean 'seed'?")));
  EXPECT_THAT(message,
              AllOf(HasSubstr("--set scael.mode=split: unknown stage or section 'scael'; did you mean 'scale'?"),
                    HasSubstr("--set scale.mode=both: /stages/scale/params/mode: found \"both\"")));
  EXPECT_THAT(message, Not(HasSubstr("has no edge")));
}

TEST_F(GraphFileTest, RefusesWrongNames) {
  EXPECT_THAT(error_with("\"print\": {", "\"run\": { \"type\": \"dice\" }, \"print\": {"),
              HasSubstr("cannot be named 'run'"));
  EXPECT_THAT(error_with("\"print\": {", "\"a.b\": { \"type\": \"dice\" }, \"print\": {"),
              HasSubstr("stage name 'a.b', allowed: letters"));
  EXPECT_THAT(error_with("\"print\": {", "\"\": { \"type\": \"dice\" }, \"print\": {"),
              HasSubstr("stage name '', allowed: letters"));
  EXPECT_THAT(error_with("\"example\"", "\"../example\""), HasSubstr("/name: found \"../example\""));
  EXPECT_THAT(error_with("dflash-graph/1", "dflash-graph/2"),
              HasSubstr("found \"dflash-graph/2\", allowed: \"dflash-graph/1\""));
  EXPECT_THAT(error_with("\"device\": \"cpu\"", "\"device\": \"gpu\""),
              HasSubstr("found \"gpu\", allowed: auto | cpu | cuda:N"));
}

TEST_F(GraphFileTest, RefusesWhatIsNoGraphAtAll) {
  EXPECT_THAT(error("[1]"), HasSubstr("found [1], allowed: an object"));
  EXPECT_THAT(error("{}"), AllOf(HasSubstr("'schema' is missing"), HasSubstr("'name' is missing"),
                                 HasSubstr("'stages' is missing"), HasSubstr("'edges' is missing")));
  EXPECT_THAT(error(R"({"schema": 1, "name": 2, "vars": 3, "models": 4, "stages": 5, "edges": 6, "run": 7})"),
              HasSubstr("7 mistakes"));
}

TEST_F(GraphFileTest, ResolvesEveryValueAndItsOrigin) {
  const GraphFile file = read(kExampleGraph, {.swaps = {}, .sets = {"run.steps=40"}});
  const auto origin = [&](const char* pointer) {
    const std::string text = file.origins.at(pointer).get<std::string>();
    return text.substr(text.rfind('/') + 1);
  };
  EXPECT_EQ(file.resolved.at("stages").at("data").at("params").at("limit"), 20);
  EXPECT_EQ(file.resolved.at("stages").at("scale").at("params").at("loss"), (Json{{"type", "ce"}, {"gamma", 7}}));
  EXPECT_EQ(file.resolved.at("run").at("steps"), 40);
  EXPECT_EQ(origin("/run/steps"), "--set run.steps=40");
  EXPECT_EQ(origin("/run/checkpoint/keep_last"), "default");
  EXPECT_EQ(origin("/stages/scale/params/loss/gamma"), "g.json:9:82");
  EXPECT_EQ(origin("/stages/scale/params/loss/type"), "default");
  EXPECT_EQ(origin("/models/target/path"), "g.json:6:35");
  EXPECT_EQ(origin("/edges/0/capacity/items"), "default");
  EXPECT_EQ(file.origins.at("/edges/1/capacity/bytes").get<std::string>().substr(folder_.path().string().size()),
            "/g.json:15:81");
}

TEST_F(GraphFileTest, ReadsItsOwnResolvedGraph) {
  const Json resolved = read(kExampleGraph, {.sets = {"scale.taps=[3]"}}).resolved;
  EXPECT_EQ(read(resolved.dump()).resolved, resolved);
}

// Random cuts, copies and overwritten bytes, with a fixed seed: each reads or is refused, none crashes or throws
// anything else.
TEST_F(GraphFileTest, RefusesOrReadsAnyMutationOfAGraph) {
  constexpr std::string_view kPieces = "{}[],:\"\\/-.0129eE ${limit}nulltrue->\n\xC3\xFF";
  std::int64_t refused = 0;
  for (std::uint64_t round = 0; round < 1500; ++round) {
    std::string text{kExampleGraph};
    std::uint64_t draw = 0;
    const auto below = [&](std::size_t bound) {
      return static_cast<std::size_t>(counter_random(round, {++draw}) % bound);
    };
    for (std::size_t edits = 1 + below(3); edits > 0; --edits) {
      const std::size_t at = below(text.size());
      const std::size_t length = std::min(below(12), text.size() - at);
      switch (below(3)) {
        case 0:
          text.erase(at, length);
          break;
        case 1:
          text.insert(below(text.size()), text.substr(at, length));
          break;
        default:
          text[at] = kPieces[below(kPieces.size())];
      }
    }
    refused += error(text).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 500);
  EXPECT_LT(refused, 1500);
}

}  // namespace
}  // namespace dflash
