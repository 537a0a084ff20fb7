// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dflash {

/// Dense decoders (pre-norm, rotary positions, grouped heads, SwiGLU) that differ in little.
enum class TargetFamily { kQwen3, kQwen2, kLlama };

struct FamilyTraits {
  TargetFamily family;
  std::string_view architecture;  // `architectures` in config.json
  std::string_view model_type;
  bool norms_heads;      // an RMS norm of each query and key head, before the rotation
  bool always_biased;    // q, k and v have biases (and o has none), whatever `attention_bias` says
  bool may_slide;        // knows sliding layers
  bool writes_head_dim;  // else it may be left out: hidden_size / num_attention_heads
  bool writes_defaults;  // else these may be left out: num_key_value_heads (as many), rope_theta (10000)
};

const FamilyTraits& traits_of(TargetFamily family);

/// All families that this program computes.
std::span<const FamilyTraits> target_families();

/// "Qwen3ForCausalLM, Qwen2ForCausalLM, ...".
std::string supported_architectures();

}  // namespace dflash
