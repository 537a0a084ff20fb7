// SPDX-License-Identifier: Apache-2.0
#include "stages/models/target_family.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/ranges.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

constexpr std::array kFamilies{FamilyTraits{.family = TargetFamily::kQwen3,
                                            .architecture = "Qwen3ForCausalLM",
                                            .model_type = "qwen3",
                                            .norms_heads = true,
                                            .always_biased = false,
                                            .may_slide = true,
                                            .writes_head_dim = true,
                                            .writes_defaults = true},
                               FamilyTraits{.family = TargetFamily::kQwen2,
                                            .architecture = "Qwen2ForCausalLM",
                                            .model_type = "qwen2",
                                            .norms_heads = false,
                                            .always_biased = true,
                                            .may_slide = true,
                                            .writes_head_dim = false,
                                            .writes_defaults = true},
                               FamilyTraits{.family = TargetFamily::kLlama,
                                            .architecture = "LlamaForCausalLM",
                                            .model_type = "llama",
                                            .norms_heads = false,
                                            .always_biased = false,
                                            .may_slide = false,
                                            .writes_head_dim = false,
                                            .writes_defaults = false}};

}  // namespace

const FamilyTraits& traits_of(TargetFamily family) {
  const auto* found = std::ranges::find(kFamilies, family, &FamilyTraits::family);
  DFLASH_CHECK(found != kFamilies.end(), "family {}", static_cast<int>(family));
  return *found;
}

std::span<const FamilyTraits> target_families() { return kFamilies; }

std::string supported_architectures() {
  std::vector<std::string_view> names;
  std::ranges::transform(kFamilies, std::back_inserter(names), &FamilyTraits::architecture);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace dflash
