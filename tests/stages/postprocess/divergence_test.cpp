// SPDX-License-Identifier: Apache-2.0
#include "stages/postprocess/divergence.h"

#include <limits>

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

StepMetrics seventh_step() {
  StepMetrics step;
  step.stage = "drafter";
  step.step = 7;
  step.lr = 1e30;
  step.names = {"loss", "grad_norm"};
  return step;
}

TEST(Divergence, NamesStageStepAndTheFirstScalarAndSaysWhatToTry) {
  EXPECT_THAT([] { check_finite(seventh_step(), {kNan, kInfinity}); },
              ThrowsMessage<StageError>(AllOf(HasSubstr("stage 'drafter' (step 7): the training has diverged: loss is "
                                                        "nan (lr 1e+30)"),
                                              HasSubstr("try a lower drafter.lr"))));
  EXPECT_THAT([] { check_finite(seventh_step(), {1.0F, kInfinity}); },
              ThrowsMessage<StageError>(HasSubstr("grad_norm is infinite")));
}

TEST(Divergence, IsNotTheUsersFault) {
  try {
    check_finite(seventh_step(), {kNan, 1.0F});
    FAIL() << "nothing was thrown";
  } catch (const StageError& error) {
    EXPECT_FALSE(error.caused_by_user);
  }
}

TEST(Divergence, LetsFiniteNumbersPass) {
  EXPECT_NO_THROW(check_finite(seventh_step(), {1.0F, std::numeric_limits<float>::max()}));
  EXPECT_NO_THROW(check_finite("drafter", 7, {{"master.a", at::ones({3})}, {"step", at::zeros({})}}));
}

TEST(Divergence, NamesTheFirstParameterBeforeTheMomentsThatItSpoilt) {
  const at::Tensor spoilt = at::tensor({1.0F, kNan, kInfinity});
  const std::map<std::string, at::Tensor> state{
      {"exp_avg.a", spoilt}, {"master.a", at::ones({3})}, {"master.b", spoilt}};
  EXPECT_THAT([&] { check_finite("drafter", 7, state); },
              ThrowsMessage<StageError>(HasSubstr("parameter 'b' has 2 of 3 values that are not finite")));
}

TEST(Divergence, NamesAMomentWhereTheParametersAreSound) {
  EXPECT_THAT(
      [] { check_finite("drafter", 7, {{"exp_avg_sq.a", at::full({2}, kInfinity)}, {"master.a", at::ones({2})}}); },
      ThrowsMessage<StageError>(HasSubstr("optimiser state 'exp_avg_sq.a'")));
}

}  // namespace
}  // namespace dflash
