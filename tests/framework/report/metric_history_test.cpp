// SPDX-License-Identifier: Apache-2.0
#include "framework/report/metric_history.h"

#include <limits>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace dflash {
namespace {

TEST(MetricHistory, HasEachStepOfAShortRun) {
  MetricHistory history;
  history.add(0, {});
  history.add(1, {{"loss", 3.0}});
  history.add(2, {{"loss", 2.0}});
  history.add(2, {{"loss", 1.5}, {"lr", 0.1}});
  const Json json = history.json();
  EXPECT_EQ(json["step"], Json({1, 2}));
  EXPECT_EQ(json["metrics"]["loss"], Json({3.0, 1.5}));
  EXPECT_EQ(json["metrics"]["lr"], Json({nullptr, 0.1}));
}

TEST(MetricHistory, WritesWhatIsNotFiniteAsNull) {
  MetricHistory history;
  history.add(1, {{"loss", std::numeric_limits<double>::quiet_NaN()}});
  EXPECT_EQ(history.json()["metrics"]["loss"], Json::array({nullptr}));
  EXPECT_EQ(MetricHistory{}.json()["step"], Json::array());
}

TEST(MetricHistory, StaysSmallAndCoversTheWholeHoweverLongTheRun) {
  MetricHistory history;
  constexpr std::int64_t kSteps = 100'000;
  for (std::int64_t step = 1; step <= kSteps; ++step) {
    history.add(step, {{"loss", static_cast<double>(step)}});
  }
  const Json steps = history.json()["step"];
  EXPECT_LT(steps.size(), MetricHistory::kMost);
  EXPECT_GE(steps.size(), MetricHistory::kMost / 4);
  EXPECT_EQ(steps.front(), 1);
  EXPECT_GT(steps.back(), kSteps * 9 / 10);
  for (std::size_t i = 1; i < steps.size(); ++i) {
    EXPECT_LT(steps[i - 1], steps[i]);
  }
}

}  // namespace
}  // namespace dflash
