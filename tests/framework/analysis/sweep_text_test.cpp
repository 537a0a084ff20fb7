// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/sweep_text.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/framework/analysis/made_sweep.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

TEST(SweepText, IsATable) {
  const std::string text = sweep_text(judged({row("slow", 20000), row("quick", 10000)}));
  EXPECT_THAT(text, AllOf(StartsWith("  variant  runs           rate  ratio"),
                          HasSubstr("\n  slow        3  50.0K steps/s  1.000"), HasSubstr("2.000"),
                          HasSubstr("faster  equal\n"), HasSubstr("\nThe best is 'quick' with")));
}

// Of many variants one may seem slower than the first by luck: its row says so, the sentence does not.
TEST(SweepText, SaysWhatARowsWordMeans) {
  constexpr const char* kMeaning =
      "\n  Each row against the first alone, 95 %; which is best is judged by all together.\n\n";
  EXPECT_THAT(sweep_text(judged({row("slow", 20000), row("quick", 10000)})),
              HasSubstr(kMeaning + std::string{"The best is 'quick'"}));
  EXPECT_THAT(sweep_text(judged({failed("broken"), row("a", 20000)})), Not(HasSubstr("Each row")));
  EXPECT_THAT(sweep_text(judged({failed("broken")})), Not(HasSubstr("Each row")));
}

TEST(SweepText, IsReadByPrograms) {
  const Json json = sweep_json(judged({row("slow", 20000), row("quick", 10000), failed("broken")}));
  EXPECT_EQ(json.at("best"), "quick");
  EXPECT_EQ(json.at("fastest"), "quick");
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

TEST(SweepText, NamesRunsThatFailed) {
  EXPECT_THAT(sweep_text(judged({failed("broken"), row("a", 20000)})),
              HasSubstr("\n  broken-1 failed with code 1: error: out of luck\n"));
}

}  // namespace
}  // namespace dflash
