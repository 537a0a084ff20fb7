// SPDX-License-Identifier: Apache-2.0
#include "framework/core/graph_mistakes.h"

#include <gmock/gmock.h>

#include "framework/core/overlay.h"

namespace dflash {
namespace {

using testing::ElementsAre;

class GraphMistakesTest : public testing::Test {
 protected:
  GraphMistakesTest() { put_value(document_, {"stages", "queue", "params", "capacity"}, 2, "--set queue.capacity=2"); }
  Diagnostics diagnostics_;
  JsonText document_ = *parse_json_text(R"({
  "models": { "target": { "path": "a" } },
  "stages": { "queue": { "type": "q", "params": { "min_ready": 4 } } },
  "edges": [ "a.b -> c.d", { "from": "a/b" } ]
})",
                                        "g.json", diagnostics_);
  GraphMistakes mistakes_{diagnostics_, &document_};
};

TEST_F(GraphMistakesTest, FindsWhereAValueWasWritten) {
  EXPECT_EQ(mistakes_.place_of("/stages/queue/params/min_ready"), "g.json:3:64");
  EXPECT_EQ(mistakes_.place_of("/stages/queue/params/capacity"), "--set queue.capacity=2");
  EXPECT_EQ(mistakes_.place_of("/edges/1/from"), "g.json:4:38");
}

TEST_F(GraphMistakesTest, FindsTheNearestObjectWhereAValueWasNotGiven) {
  EXPECT_EQ(mistakes_.place_of("/models/target/weights"), "g.json:2:25");
  EXPECT_EQ(mistakes_.place_of("/stages/queue/params/a/b"), "g.json:3:49");
  EXPECT_EQ(mistakes_.place_of("/run/steps"), "g.json:1:1");
  EXPECT_EQ(mistakes_.place_of("/edges/7"), "g.json:4:12");
}

TEST_F(GraphMistakesTest, NamesPlaceAndPointer) {
  mistakes_.add("/models/target/path", "no such folder 'a'");
  EXPECT_THAT(diagnostics_.mistakes(), ElementsAre("g.json:2:35: /models/target/path: no such folder 'a'"));
}

TEST_F(GraphMistakesTest, KnowsWhatHasAMistakeAtOrBelowIt) {
  mistakes_.add("/stages/queue/params/min_ready", "x");
  EXPECT_TRUE(mistakes_.has_any_at("/stages/queue"));
  EXPECT_TRUE(mistakes_.has_any_at("/stages/queue/params/min_ready"));
  EXPECT_FALSE(mistakes_.has_any_at("/stages/que"));
  EXPECT_FALSE(mistakes_.has_any_at("/stages/queue/params/min_ready/x"));
}

TEST_F(GraphMistakesTest, TellsTheSameMistakeOnce) {
  mistakes_.add("/run", "x");
  mistakes_.add("/run", "x");
  EXPECT_THAT(diagnostics_.mistakes(), testing::SizeIs(1));
}

TEST(GraphMistakes, NamesThePointerAloneWhereNothingWasWritten) {
  Diagnostics diagnostics;
  GraphMistakes{diagnostics}.add("/run/steps", "found 0");
  EXPECT_THAT(diagnostics.mistakes(), ElementsAre("/run/steps: found 0"));
}

}  // namespace
}  // namespace dflash
