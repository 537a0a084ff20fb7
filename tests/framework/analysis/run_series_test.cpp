// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/run_series.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::FieldsAre;
using testing::IsEmpty;

TEST(RunSeries, MeasuresStepsFromOneToTheNext) {
  Timeline timeline;
  timeline.steps = {{.step = 3, .at = 100}, {.step = 4, .at = 130}, {.step = 5, .at = 170}};
  const std::vector<Json> metrics{{{"step", 4}, {"tokens", 50}},
                                  {{"step", 4}, {"event", "evaluation"}, {"tokens", 700}},
                                  {{"step", 5}, {"event", "evaluation"}, {"tokens", 700}},
                                  {{"step", "x"}, {"tokens", 1}}};
  EXPECT_THAT(step_series(timeline, metrics), ElementsAre(FieldsAre(4, 30, 50), FieldsAre(5, 40, 0)));
  EXPECT_THAT(step_series(Timeline{}, {}), IsEmpty());
}

TEST(RunSeries, MeasuresFiringsInTheirOrderWithoutTheDrain) {
  StageTimeline stage;
  stage.firings = {{.number = 2, .begin = 5, .end = 8}, {.number = 1, .begin = 0, .end = 10}, {.begin = 10, .end = 90}};
  EXPECT_THAT(firing_series(stage), ElementsAre(FieldsAre(1, 10, 1), FieldsAre(2, 3, 1)));
  EXPECT_THAT(pace_series(stage), ElementsAre(FieldsAre(1, 2, 1)));
  stage.device_firings = {{.number = 1, .begin = 20, .end = 120}};
  EXPECT_THAT(firing_series(stage), ElementsAre(FieldsAre(1, 100, 1)));
}

TEST(RunSeries, MeasuresFiringsWithoutWhatWasDoneBetweenSteps) {
  StageTimeline stage;
  stage.firings = {{.number = 1, .begin = 0, .end = 10}, {.number = 2, .begin = 10, .end = 520, .between = 500}};
  EXPECT_THAT(firing_series(stage), ElementsAre(FieldsAre(1, 10, 1), FieldsAre(2, 10, 1)));
}

TEST(RunSeries, MeasuresItemsThatSomebodyTook) {
  EXPECT_THAT(residence_series({{.seq = 1, .to_firing = 2, .pushed = 5, .popped = 25},
                                {.seq = 0, .to_firing = 1, .pushed = 1, .popped = 2},
                                {.seq = 2, .to_firing = 0, .pushed = 1, .popped = 2}}),
              ElementsAre(FieldsAre(0, 1, 1), FieldsAre(1, 20, 1)));
}

}  // namespace
}  // namespace dflash
