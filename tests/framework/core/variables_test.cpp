// SPDX-License-Identifier: Apache-2.0
#include "framework/core/variables.h"

#include <gmock/gmock.h>

#include "tests/support/graph_reading.h"

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using VariablesTest = GraphReadingTest;

TEST_F(VariablesTest, SubstitutesVariablesAndKeepsTheirType) {
  const GraphFile file = read(kExampleGraph);
  EXPECT_EQ(stage<ExampleCounter>(file, "data").limit(), 20);
  EXPECT_EQ(stage<ExampleCounter>(file, "data").path(), "x20.txt");
}

TEST_F(VariablesTest, RefusesUnknownAndNestedVariables) {
  EXPECT_EQ(error_with("\"${limit}\"", "\"${limt}\""),
            "g.json:8:56: /stages/data/params/limit: unknown variable 'limt'; did you mean 'limit'?");
  EXPECT_THAT(error_with("\"limit\": 20", "\"limit\": 20, \"b\": \"${limit}\""),
              HasSubstr("/vars/b: a variable cannot refer to another"));
  EXPECT_THAT(error_with("\"${limit}\"", "\"${limit\""), HasSubstr("closed by a brace"));
  EXPECT_THAT(error_with("\"limit\": 20", "\"limit\": [20]"), HasSubstr("cannot stand inside a longer text"));
}

TEST_F(VariablesTest, BlamesThePlaceWhereTheVariableWasWritten) {
  EXPECT_EQ(error(kExampleGraph, {.sets = {"vars.limit=101"}}),
            "--set vars.limit=101: /stages/data/params/limit: found 101, allowed: integer from 1 to 100");
  EXPECT_THAT(error_with("\"limit\": 20", "\"limit\": 101"),
              testing::StartsWith("g.json:5:22: /stages/data/params/limit"));
  EXPECT_THAT(error_with(R"("limit": 20 })", R"("limit": 20, "taps": [1, "a"] })"), testing::IsEmpty());
}

TEST_F(VariablesTest, WarnsOfUnusedVariablesAndOutputs) {
  const std::string text = replaced(std::string{kExampleGraph}, "\"limit\": 20", "\"limit\": 20, \"size\": 3");
  EXPECT_THAT(read(replaced(text, "\"print\": {", "\"more\": { \"type\": \"dice\" }, \"print\": {")).warnings,
              ElementsAre("variable 'size' is used nowhere", HasSubstr("output 'more.numbers' (number) has no edge")));
}

TEST_F(VariablesTest, RefusesATextThatGrowsWithoutBound) {
  const std::string text = replaced(std::string{kExampleGraph}, "20", "\"" + std::string(100'000, 'x') + "\"");
  std::string many;
  for (int i = 0; i < 100; ++i) {
    many += "${limit}";
  }
  EXPECT_THAT(error(replaced(text, "x${limit}.txt", many)), HasSubstr("grows beyond 1048576 bytes"));
}

TEST_F(VariablesTest, RefusesADocumentThatGrowsWithoutBound) {
  std::string zeros = "[0";
  std::string lists = "\"${limit}\"";
  std::string texts = "\"${limit}!\"";
  for (int i = 0; i < 1000; ++i) {
    zeros += ",0";
    lists += ",\"${limit}\"";
    texts += ",\"${limit}!\"";
  }
  const auto grown = [&](const std::string& variable, const std::string& places) {
    return error(
        replaced(replaced(std::string{kExampleGraph}, "20", variable), "\"edges\": [", "\"edges\": [" + places + ","));
  };
  EXPECT_THAT(grown(zeros + "]", lists), HasSubstr("grows by more than 250000 values by its variables"));
  EXPECT_THAT(grown("\"" + std::string(20'000, 'x') + "\"", texts),
              HasSubstr("grows by more than 16777216 bytes by its variables"));
  EXPECT_THAT(grown("\"" + std::string(20'000, 'x') + "\"", lists),
              HasSubstr("more than 16777216 bytes by its variables"));
}

// Such a text would be taken for one that is reported already, and its parameter silently keep its default.
TEST_F(VariablesTest, RefusesATextThatBecomesAVariable) {
  const std::string text = replaced(std::string{kExampleGraph}, "\"limit\": 20", "\"limit\": 20, \"d\": \"$\"");
  EXPECT_EQ(
      error(replaced(text, "x${limit}.txt", "${d}{limit}.txt")),
      "g.json:8:76: /stages/data/params/path: becomes \"${limit}.txt\", a text with a variable, by its variables");
}

TEST_F(VariablesTest, RefusesAVariableAnywhereInsideAVariable) {
  EXPECT_THAT(error_with("\"limit\": 20", "\"limit\": 20, \"b\": [{\"c\": \"${limit}\"}]"),
              HasSubstr("/vars/b/0/c: a variable cannot refer to another"));
}

}  // namespace
}  // namespace dflash
