// SPDX-License-Identifier: Apache-2.0
#include "framework/report/metric_series.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace dflash {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;

std::vector<std::string> names_of(const std::vector<MetricSeries>& all) {
  std::vector<std::string> names;
  for (const MetricSeries& series : all) {
    names.push_back(series.name);
  }
  return names;
}

TEST(MetricSeries, TakesEachFigureOfALine) {
  const auto all = metric_series({Json{{"step", 1}, {"loss", 4.0}, {"phase_s", {{"forward", 0.5}}}, {"note", "x"}},
                                  Json{{"step", 2}, {"loss", 2.0}, {"lr", 0.1}}},
                                 10);
  EXPECT_THAT(names_of(all), ElementsAre("loss", "phase_s.forward", "lr"));
  EXPECT_EQ(all[0].points[1].step, 2);
  EXPECT_EQ(all[0].points[1].mean, 2.0);
  EXPECT_EQ(all[2].points[0].step, 2);
}

TEST(MetricSeries, KeepsEvaluationsApart) {
  const auto all = metric_series({Json{{"event", "evaluation"}, {"step", 0}, {"tau", 1.0}, {"sampled", {{"tau", 0.5}}}},
                                  Json{{"step", 1}, {"tau", 3.0}}, Json{{"event", "restart"}, {"step", 1}, {"x", 1}}},
                                 10);
  EXPECT_THAT(names_of(all), ElementsAre("tau", "sampled.tau", "tau"));
  EXPECT_TRUE(all[0].of_evaluation);
  EXPECT_FALSE(all[2].of_evaluation);
}

TEST(MetricSeries, JoinsManyLinesIntoOnePoint) {
  std::vector<Json> lines;
  for (int step = 1; step <= 5; ++step) {
    lines.push_back({{"step", step}, {"loss", step * 10}});
  }
  const auto all = metric_series(lines, 2);
  ASSERT_EQ(all[0].points.size(), 2);
  EXPECT_EQ(all[0].points[0].mean, 20);
  EXPECT_EQ(all[0].points[0].least, 10);
  EXPECT_EQ(all[0].points[0].greatest, 30);
  EXPECT_EQ(all[0].points[1].step, 5);
  EXPECT_EQ(all[0].points[1].mean, 45);
}

TEST(MetricSeries, CountsWhatIsNotFinite) {
  const auto all = metric_series(
      {Json{{"step", 1}, {"loss", nullptr}}, Json{{"step", 2}, {"loss", nullptr}}, Json{{"step", 3}, {"loss", 4.0}}},
      2);
  ASSERT_EQ(all.size(), 1);
  EXPECT_TRUE(std::isnan(all[0].points[0].mean));
  EXPECT_THAT(all[0].points,
              ElementsAre(Field(&MetricSeries::Point::not_finite, 2), Field(&MetricSeries::Point::not_finite, 0)));
}

TEST(MetricSeries, PassesOverWhatIsNoLineOfAStep) {
  const auto all = metric_series({Json{{"loss", 1}}, Json{{"step", "x"}, {"loss", 1}}, Json::array(), Json(3),
                                  Json{{"step", 1.5}, {"loss", 1}}, Json{{"step", 1}, {"text", nullptr}}},
                                 2);
  EXPECT_TRUE(all.empty());
}

}  // namespace
}  // namespace dflash
