// SPDX-License-Identifier: Apache-2.0
#include "stages/target/target_step.h"

#include <gmock/gmock.h>

#include "framework/core/diagnostics.h"
#include "framework/core/stage_check.h"
#include "tests/stages/tiny_models.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> mistakes_of(const Models::Options& options) {
  const TinyModels tiny;
  Resources resources;
  resources.put(std::make_shared<Models>(options, tiny.models().target_config(), std::nullopt));
  StageEnv env = tiny.env();
  env.resources = &resources;
  const TargetStep stage;
  Diagnostics diagnostics;
  GraphMistakes mistakes{diagnostics};
  StageCheck check{env, stage, nullptr, mistakes};
  stage.check(check);
  return diagnostics.mistakes();
}

TEST(TargetStep, RefusesAPrecisionThatItDoesNotTrainIn) {
  EXPECT_THAT(mistakes_of({.compute_type = at::kBFloat16, .wants_bf16 = true}),
              ElementsAre(AllOf(HasSubstr("/run/precision: found \"bf16\", allowed: auto | fp32"),
                                HasSubstr("stage 'stage' trains its target in fp32"))));
  EXPECT_THAT(mistakes_of({.compute_type = at::kBFloat16}), IsEmpty()) << "what auto means on a GPU";
}

}  // namespace
}  // namespace dflash
