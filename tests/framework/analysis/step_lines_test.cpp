// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/step_lines.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(StepLines, LeavesOutEventsAndWhatHasNoStep) {
  const std::vector<Json> metrics{{{"step", 4}, {"tokens", 50}},
                                  {{"step", 4}, {"event", "evaluation"}, {"tokens", 700}},
                                  {{"step", "x"}, {"tokens", 1}},
                                  {{"tokens", 1}},
                                  Json(3),
                                  Json::array({"step"}),
                                  {{"step", 5}}};
  EXPECT_THAT(step_lines(metrics), ElementsAre(Pair(4, &metrics[0]), Pair(5, &metrics[6])));
  EXPECT_THAT(step_lines({}), IsEmpty());
}

TEST(StepLines, TakesTheNewestLineOfAStep) {
  const std::vector<Json> metrics{{{"step", 4}, {"tokens", 50}}, {{"step", 4}, {"tokens", 60}}};
  EXPECT_THAT(step_lines(metrics), ElementsAre(Pair(4, &metrics[1])));
}

}  // namespace
}  // namespace dflash
