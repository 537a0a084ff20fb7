// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/summary_table.h"

#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace dflash {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Json whole_summary() {
  return Json::parse(R"({
    "loss": {"first": 6.9312, "last": 2.345},
    "before": {"tau": 1.0},
    "after": {"tau": 4.456, "tau_of_prompts": 5.96, "prompts": 64, "new_tokens": 160, "block_size": 8,
              "lower_overlap": {"tau": 4.1, "prompts": 32}, "sampled": {"temperature": 0.5, "tau": 1.61},
              "replay": {"tau": 4.44}, "plain_tokens_per_s": 2000.0, "speculative_tokens_per_s": 5000.0,
              "batch": {"plain_tokens_per_s": 6000.0, "speculative_tokens_per_s": 6600.0},
              "accepted_drafts": 3.456, "tags": [{"tag": "", "tau": 4.5, "prompts": 60}, {"tag": "zh", "tau": 2.25, "prompts": 4}],
              "slots": [{"slot": 1, "marginal": 0.81, "conditional": 0.81}, {"slot": 2, "marginal": 0.62, "conditional": 0.765}],
              "cost": {"batch": 1, "context": 96.4, "draft_ms": 0.7, "verify_ms": 1.26, "plain_ms": 0.5, "speedup": 0.93},
              "warnings": ["this drafter does not pay"],
              "first_differences": [{"prompt": 3, "token": 12}, {"prompt": 9, "token": 40}],
              "equal_to_plain": 62, "overlap": {"distinct_8grams": 0.891, "in_training": 0.712}},
    "training_tokens_per_s": 7512.4,
    "story": "  Once [upon a] time"})");
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

TEST(SummaryTable, PrintsEveryFigureUnderItsName) {
  const std::string table = summary_table(whole_summary());
  EXPECT_THAT(table, HasSubstr("first step                            6.931\n"));
  EXPECT_THAT(table, HasSubstr("tau before training                   1.00\n"));
  EXPECT_THAT(table, HasSubstr("tau after training                    4.46\n"));
  EXPECT_THAT(table, HasSubstr("  on the half of lower overlap        4.10\n"));
  EXPECT_THAT(table, HasSubstr("  sampled at temperature 0.5          1.61\n"));
  EXPECT_THAT(table, HasSubstr("  by replay (teacher-forced)          4.44\n"));
  EXPECT_THAT(table, HasSubstr("speculative decoding, one prompt      5,000  (2.50 x)\n"));
  EXPECT_THAT(table, HasSubstr("speculative decoding, one batch       6,600  (1.10 x)\n"));
  EXPECT_THAT(table, HasSubstr("training                              7,512\n"));
  EXPECT_THAT(table, HasSubstr("distinct 8-grams within an answer     89.1 %\n"));
  EXPECT_THAT(table, HasSubstr("their 8-grams in the training answers 71.2 %\n"));
  EXPECT_THAT(table, HasSubstr("  equal to plain greedy decoding        62 of 64\n"));
  EXPECT_THAT(table, HasSubstr("    first differences, at token         12 40\n"));
  EXPECT_THAT(table, HasSubstr("  Once [upon a] time\n"));
}

TEST(SummaryTable, A03A04PrintsTagsAndSlots) {
  const std::string table = summary_table(whole_summary());
  EXPECT_THAT(table, HasSubstr("    drafts alone, without the bonus     3.46\n"));
  EXPECT_THAT(table, HasSubstr("    without a tag                       4.50  (60 prompts)\n"));
  EXPECT_THAT(table, HasSubstr("    tag 'zh'                            2.25  (4 prompts)\n"));
  EXPECT_THAT(table, HasSubstr("    each slot, of rounds that had it    81 62 %\n"));
  EXPECT_THAT(table, HasSubstr("    each slot, behind an accepted one   81 76 %\n"));
}

TEST(SummaryTable, T04PrintsWhatARoundCostsAndTheWarning) {
  const std::string table = summary_table(whole_summary());
  EXPECT_THAT(table, HasSubstr("One round, one prompt, ms\n"
                               "  drafting                              0.70\n"
                               "  verifying                             1.26\n"
                               "  plain decoding of one token           0.50\n"
                               "  estimated speed-up                    0.93 x  (behind 96 tokens on average)\n"
                               "  warning: this drafter does not pay\n"));
}

TEST(SummaryTable, SaysOfADrafterThatWasOnlyMeasuredNothingOfTraining) {
  Json summary = whole_summary();
  summary["trained"] = false;
  const std::string table = summary_table(summary);
  EXPECT_THAT(table, HasSubstr("tau                                   4.46\n"));
  EXPECT_THAT(table, Not(HasSubstr("tau after")));
}

TEST(SummaryTable, StaysWithinAHundredColumns) {
  EXPECT_THAT(lines_of(summary_table(whole_summary())), ::testing::Each(::testing::SizeIs(::testing::Le(100U))));
}

TEST(SummaryTable, LeavesOutWhatWasNotMeasured) {
  Json summary = whole_summary();
  summary["after"].erase("sampled");
  summary["before"] = nullptr;
  summary["after"].erase("overlap");
  summary["after"].erase("equal_to_plain");
  summary.erase("story");
  const std::string table = summary_table(summary);
  EXPECT_THAT(table, HasSubstr("tau after training"));
  for (const char* absent :
       {"tau before training", "sampled", "The answers", "8-grams", "A held-out answer", "not measured"}) {
    EXPECT_THAT(table, Not(HasSubstr(absent)));
  }
}

TEST(SummaryTable, PrintsTheLossAndTheSpeedOfARunWithoutEvaluation) {
  const Json summary{{"loss", {{"first", 6.9312}, {"last", 2.345}}},
                     {"before", {{"tau", nullptr}}},
                     {"after", nullptr},
                     {"training_tokens_per_s", 7512.4}};
  EXPECT_EQ(summary_table(summary),
            "Loss\n"
            "  first step                            6.931\n"
            "  last step                             2.345\n"
            "\n"
            "Speed, tok/s\n"
            "  training                              7,512\n");
}

TEST(SummaryTable, IsEmptyWhereNothingWasMeasured) { EXPECT_EQ(summary_table(Json::object()), ""); }

}  // namespace
}  // namespace dflash
