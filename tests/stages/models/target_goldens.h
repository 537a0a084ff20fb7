// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "stages/models/safetensors.h"
#include "stages/models/target.h"
#include "stages/models/target_config.h"
#include "stages/models/target_weights.h"

namespace dflash {

/// The folders that scripts/make_target_goldens.py writes: each family, with what is special to it.
inline const std::vector<std::string> kTargetGoldens{"tied_old",      "untied_new",  "qwen2_tied",
                                                     "qwen2_sliding", "llama_plain", "llama_linear",
                                                     "llama_llama3",  "qwen3_yarn",  "qwen3_sliding"};

/// The folder that DFLASH_PARITY_TARGET names, for which `make_target_goldens.py --of` has written goldens; none
/// without it.
std::vector<std::string> own_target_goldens();

/// A tiny random target and what transformers computes with it (scripts/make_target_goldens.py).
struct TargetGoldens {
  explicit TargetGoldens(const std::string& name);
  std::filesystem::path folder;
  TargetConfig config;
  TargetWeights weights;
  SafetensorsFile values;

  /// The name of the hidden states after the final norm.
  [[nodiscard]] std::string last() const { return "hidden_states." + std::to_string(config.num_hidden_layers); }
  [[nodiscard]] std::vector<std::int64_t> ids(int document) const;
  [[nodiscard]] std::vector<std::int64_t> greedy(int document) const;
  /// `what` of both documents, one under the other.
  [[nodiscard]] at::Tensor both(const std::string& what) const;
  /// Both documents, and some rows of padding.
  [[nodiscard]] PackedTokens packed(std::int64_t padding) const;
};

/// The largest absolute difference, relative to the largest value.
double relative_difference(const at::Tensor& found, const at::Tensor& expected);

}  // namespace dflash
