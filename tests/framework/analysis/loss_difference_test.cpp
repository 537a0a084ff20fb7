// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/loss_difference.h"

#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace dflash {
namespace {

using Lines = std::vector<Json>;

Json line(std::int64_t step, const Json& loss) { return {{"step", step}, {"loss", loss}}; }

LossDifference difference(const Lines& a, const Lines& b) { return loss_difference(losses_of(a), losses_of(b)); }

TEST(LossDifference, IsNoneWhereTheSameStepsHaveTheSameLosses) {
  const LossDifference found =
      difference({line(1, 15.5), line(2, 3.1), line(3, 2.0)}, {line(1, 15.5), line(2, 3.1), line(1, 15.5)});
  EXPECT_EQ(found.equal, true);
  EXPECT_EQ(found.steps, 2);
}

TEST(LossDifference, NamesTheLargestAndItsStep) {
  const LossDifference found = difference({line(1, 2.0), line(2, 4.0)}, {line(1, 2.0000001), line(2, 3.0)});
  EXPECT_EQ(found.equal, false);
  EXPECT_DOUBLE_EQ(found.largest, 0.25);
  EXPECT_EQ(found.step, 2);
}

TEST(LossDifference, SeesTheLastBit) { EXPECT_EQ(difference({line(1, 1.0)}, {line(1, 1.0 + 2.3e-16)}).equal, false); }

TEST(LossDifference, TakesALossThatIsNoNumberForItself) {
  EXPECT_EQ(difference({line(1, nullptr)}, {line(1, nullptr)}).equal, true);
  const LossDifference found = difference({line(1, nullptr)}, {line(1, 2.0)});
  EXPECT_EQ(found.equal, false);
  EXPECT_EQ(found.largest, 1.0);
}

TEST(LossDifference, SaysNothingWithoutCommonLosses) {
  EXPECT_FALSE(difference({line(1, 2.0)}, {line(2, 2.0)}).equal);
  EXPECT_FALSE(difference({}, {line(2, 2.0)}).equal);
  EXPECT_FALSE(difference({{{"step", 1}, {"sum", 3}}}, {{{"step", 1}, {"sum", 3}}}).equal);
  const Json evaluation{{"step", 1}, {"event", "evaluation"}, {"loss", 2.0}};
  EXPECT_FALSE(difference({evaluation}, {evaluation}).equal);
}

TEST(LossDifference, CountsTheFarthestOfSeveralRuns) {
  const StepLosses first = losses_of({line(1, 2.0), line(2, 4.0)});
  const StepLosses near = losses_of({line(1, 2.0), line(2, 3.9)});
  const StepLosses far = losses_of({line(1, 1.0)});
  EXPECT_EQ(farthest_loss({&first, &first}).equal, true);
  const LossDifference found = farthest_loss({&first, &near, &far, &first});
  EXPECT_EQ(found.equal, false);
  EXPECT_EQ(found.largest, 0.5);
  EXPECT_EQ(found.step, 1);
  const StepLosses none;
  EXPECT_FALSE(farthest_loss({&first, &far, &none}).equal);
  EXPECT_FALSE(farthest_loss({&first}).equal);
}

}  // namespace
}  // namespace dflash
