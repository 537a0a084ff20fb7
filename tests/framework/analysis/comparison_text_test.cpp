// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/comparison_text.h"

#include <gmock/gmock.h>

#include "tests/framework/analysis/made_records.h"

namespace dflash {
namespace {

using testing::AllOf;
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
            "Undecided: B makes 1.0 % fewer steps/s (95 %: -2.0 to 4.0 %), which may be noise; no losses to compare.");
  EXPECT_EQ(comparison_sentence(RunComparison{}), "Undecided: too few steps or firings to say; no losses to compare.");
}

TEST(ComparisonText, ShowsStagesEdgesAndNotes) {
  const RunComparison comparison =
      compare_runs({MadeRun{.step_ns = 2000}.records()}, {MadeRun{.name = "runs/b"}.records()});
  EXPECT_THAT(comparison_text(comparison, 100),
              AllOf(StartsWith("B is faster: 100 % more steps/s"), HasSubstr("\nA: runs/a: 500K steps/s ("),
                    HasSubstr("\nB: runs/b: 1.00M steps/s ("), HasSubstr("\n  sink    1.00 us  500 ns  2.000  "),
                    HasSubstr("faster\n"), HasSubstr("source.out->sink.in"), HasSubstr("\nNotes\n  - with so few")));
}

TEST(ComparisonText, ShowsADashForWhatIsNotKnown) {
  const RunRecords run = MadeRun{.steps = 2}.records();
  EXPECT_THAT(comparison_text(compare_runs({run}, {run}), 100), HasSubstr("\n  sink    -  -    -     -\n"));
}

}  // namespace
}  // namespace dflash
