// SPDX-License-Identifier: Apache-2.0
#include "stages/models/target_family.h"

#include <gmock/gmock.h>

namespace dflash {
namespace {

TEST(TargetFamily, FindsTheTraitsOfEachFamily) {
  for (const FamilyTraits& traits : target_families()) {
    EXPECT_EQ(traits_of(traits.family).architecture, traits.architecture);
  }
  EXPECT_TRUE(traits_of(TargetFamily::kQwen3).norms_heads);
  EXPECT_TRUE(traits_of(TargetFamily::kQwen2).always_biased);
  EXPECT_FALSE(traits_of(TargetFamily::kLlama).may_slide);
}

TEST(TargetFamily, NamesWhatIsSupported) {
  EXPECT_EQ(supported_architectures(), "Qwen3ForCausalLM, Qwen2ForCausalLM, LlamaForCausalLM");
}

}  // namespace
}  // namespace dflash
