// SPDX-License-Identifier: Apache-2.0
#include "stages/postprocess/step_metrics.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "tests/stages/any_tensors.h"

namespace dflash {
namespace {

StepMetrics any_metrics() {
  StepMetrics metrics;
  metrics.stage = any_text();
  metrics.step = *rc::gen::arbitrary<std::int64_t>();
  metrics.tokens = *rc::gen::arbitrary<std::int64_t>();
  metrics.lr = *rc::gen::arbitrary<double>();
  metrics.names = *rc::gen::arbitrary<std::vector<std::string>>();
  metrics.values = any_tensor({std::ssize(metrics.names)}, at::kFloat);
  metrics.phase_seconds = *rc::gen::arbitrary<std::vector<std::pair<std::string, double>>>();
  return metrics;
}

RC_GTEST_PROP(StepMetricsBytes, ComeBackOfAnyStep, ()) {
  const StepMetrics metrics = any_metrics();
  const StepMetrics read = comes_back(metrics);
  RC_ASSERT(read.stage == metrics.stage);
  RC_ASSERT(read.step == metrics.step);
  RC_ASSERT(read.names == metrics.names);
  RC_ASSERT(read.phase_seconds == metrics.phase_seconds);
  RC_ASSERT(read.lr == metrics.lr);
}

RC_GTEST_PROP(StepMetricsBytes, AreReadOrRefusedWhateverChanges, ()) {
  is_read_or_refused<StepMetrics>(ItemType<StepMetrics>::serialize(any_metrics()));
}

TEST(StepMetricsBytes, RefuseAsManyValuesAsThereAreNoNames) {
  StepMetrics metrics;
  metrics.names = {"loss"};
  metrics.values = at::zeros({2});
  const std::string bytes = ItemType<StepMetrics>::serialize(metrics);
  EXPECT_THAT([&] { (void)ItemType<StepMetrics>::deserialize(bytes, "cpu"); },
              testing::ThrowsMessage<UserError>(testing::HasSubstr("recorded step_metrics: its values")));
}

}  // namespace
}  // namespace dflash
