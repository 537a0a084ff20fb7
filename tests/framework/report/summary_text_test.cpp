// SPDX-License-Identifier: Apache-2.0
#include "framework/report/summary_text.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include "tests/support/any_json.h"

namespace dflash {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of_values(const char* json) { return summary_text(Json::parse(json), 2, 60); }

TEST(SummaryText, AlignsValuesBesideTheirKeys) {
  EXPECT_EQ(text_of_values(R"({"tau": 4.2012345678, "prompts": 64, "story": null, "ok": true, "path": "a b"})"),
            "  tau      4.20123\n"
            "  prompts  64\n"
            "  story    -\n"
            "  ok       true\n"
            "  path     a b\n");
}

TEST(SummaryText, KeepsSmallObjectsAndListsOfNumbersOnTheirLine) {
  EXPECT_EQ(text_of_values(R"({"cost": {"draft_ms": 1.5, "speedup": 2}, "taps": [1, 3, 4], "none": [], "empty": {}})"),
            "  cost   draft_ms 1.5, speedup 2\n"
            "  taps   1, 3, 4\n"
            "  none   none\n"
            "  empty  none\n");
}

TEST(SummaryText, MakesATableOfAListOfObjects) {
  EXPECT_EQ(text_of_values(R"({"tau": 2, "tags": [{"tag": "code", "tau": 1.25}, {"tag": "a", "rounds": 7}]})"),
            "  tau  2\n"
            "  tags\n"
            "    tag    tau  rounds\n"
            "    code  1.25       -\n"
            "    a        -       7\n");
}

TEST(SummaryText, CutsALongTable) {
  Json values{{"places", Json::array()}};
  for (int i = 0; i < 30; ++i) {
    values["places"].push_back({{"token", 100 + i}});
  }
  const std::string text = summary_text(values, 2, 60);
  EXPECT_THAT(text, HasSubstr("  111\n    ... and 18 more, in report.json\n"));
  EXPECT_THAT(text, Not(HasSubstr("112")));
}

TEST(SummaryText, IndentsWhatIsNested) {
  EXPECT_EQ(text_of_values(R"({"data": {"rows": 9, "rejected": {"count": 1, "first": ["a.jsonl:7: not JSON"]}}})"),
            "  data\n"
            "    rows  9\n"
            "    rejected\n"
            "      count  1\n"
            "      first\n"
            "        a.jsonl:7: not JSON\n");
}

TEST(SummaryText, KeepsTheLinesOfATextAndBreaksLongOnes) {
  EXPECT_EQ(text_of_values(R"({"write": "3 rows\n    2 with an answer that is unfinished after 64 tokens, so many"})"),
            "  write\n"
            "    3 rows\n"
            "        2 with an answer that is unfinished after 64 tokens,\n"
            "        so many\n");
}

TEST(SummaryText, ReadsAnyObject) {
  EXPECT_TRUE(rc::check([] {
    const Json values{{"section", *any_json<Json>(3)}};
    RC_ASSERT(!summary_text(values, 2, 60).empty());
  }));
}

}  // namespace
}  // namespace dflash
