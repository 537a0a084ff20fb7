// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/comparison_text.h"

#include <gmock/gmock.h>

#include "tests/framework/analysis/made_records.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

RunComparison found(Estimate ratio, std::optional<bool> equal) {
  RunComparison comparison{.result = pace_of(ratio)};
  comparison.throughput.ratio = ratio;
  comparison.throughput.unit = "steps/s";
  comparison.losses = {.equal = equal, .largest = 0.0031, .step = 12, .steps = 40};
  return comparison;
}

TEST(ComparisonText, SaysInOneSentenceWhetherItPaid) {
  EXPECT_EQ(comparison_sentence(found({1.12, 1.09, 1.15}, true)),
            "B is faster: 12 % more steps/s (95 %: 9.0 to 15 %), equal losses.");
  EXPECT_EQ(comparison_sentence(found({0.92, 0.89, 0.95}, false)),
            "B is slower: 8.0 % fewer steps/s (95 %: 5.0 to 11 %), losses differ by up to 0.31 % (step 12).");
  EXPECT_EQ(comparison_sentence(found({0.99, 0.96, 1.02}, std::nullopt)),
            "Undecided: B makes 1.0 % fewer steps/s (95 %: 4.0 % fewer to 2.0 % more), which may be noise; no losses "
            "to compare.");
  EXPECT_EQ(comparison_sentence(RunComparison{}), "Undecided: too few steps or firings to say; no losses to compare.");
}

TEST(ComparisonText, SaysOfSingleRunsThatTheyRanAndWhatThatIsWorth) {
  RunComparison comparison = found({0.58, 0.49, 0.68}, true);
  comparison.is_spread_measured = false;
  EXPECT_EQ(comparison_sentence(comparison),
            "B ran slower: 42 % fewer steps/s (95 %: 32 to 51 %), equal losses. So few runs cannot tell a change from "
            "what else the machine did; `sweep`, or several runs of each side, can.");
  comparison.is_one_graph = true;
  EXPECT_THAT(comparison_sentence(comparison),
              EndsWith("equal losses. The graphs do not differ: this is how far runs of one graph lie apart here."));
}

TEST(ComparisonText, SaysWhyThereIsNoRatio) {
  RunComparison comparison;
  comparison.throughput.reason = "'a' makes steps and 'b' makes none";
  EXPECT_EQ(comparison_sentence(comparison), "Undecided: 'a' makes steps and 'b' makes none; no losses to compare.");
}

TEST(ComparisonText, KeepsFarRatiosReadable) {
  EXPECT_EQ(change_text({0.999, 0.44, 2.27}, "steps/s"), "0.1 % fewer steps/s (95 %: 56 % fewer to 127 % more)");
  EXPECT_EQ(change_text({1.94, 0.29, 12.8}, "steps/s"), "94 % more steps/s (95 %: 71 % fewer to 12.8 times as many)");
  EXPECT_EQ(change_text({110.3, 100.0, 121.0}, "firings/s"), "110 times as many firings/s (95 %: 100 to 121)");
  EXPECT_EQ(change_text({0.012, 0.01, 0.014}, "steps/s"), "0.012 times as many steps/s (95 %: 0.01 to 0.014)");
  EXPECT_EQ(bounds_text({1.0, 0.987654, 1.012}), "0.988 to 1.012");
  EXPECT_EQ(ratio_text(19437.282), "19.4K");
  EXPECT_EQ(ratio_text(0.00012), "0.00012");
}

TEST(ComparisonText, ShowsStagesEdgesAndNotes) {
  const RunComparison comparison =
      compare_runs({MadeRun{.step_ns = 2000}.records()}, {MadeRun{.name = "runs/b"}.records()});
  EXPECT_THAT(comparison_text(comparison, 100),
              AllOf(StartsWith("B ran faster: 100 % more steps/s"), HasSubstr("\nA: runs/a: 500K steps/s ("),
                    HasSubstr("\nB: runs/b: 1.00M steps/s ("), HasSubstr("\n  sink    1.00 us  500 ns  2.000  "),
                    HasSubstr("faster\n"), HasSubstr("source.out->sink.in"),
                    HasSubstr("\nNotes\n  - the graphs do not differ\n  - with so few")));
}

TEST(ComparisonText, ShowsADashForWhatIsNotKnown) {
  const RunRecords run = MadeRun{.steps = 2}.records();
  EXPECT_THAT(comparison_text(compare_runs({run}, {run}), 100), HasSubstr("\n  sink    -  -    -     -\n"));
}

}  // namespace
}  // namespace dflash
