// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include <ATen/core/Tensor.h>

namespace dflash {

/// How a model's rotary angles were stretched for contexts longer than those it was first trained with; the names are
/// those of the `transformers` package.
enum class RopeKind {
  kDefault,  // not at all
  kLinear,   // all alike
  kLlama3,   // slow pairs alike, fast ones not, in between by wavelength
  kYarn      // slow pairs alike, fast ones not, in between by index; cos and sin grow
};

/// A kind and its constants. Those that a kind does not name are not looked at.
struct RopeScaling {
  RopeKind kind = RopeKind::kDefault;
  double factor = 1.0;                          // linear, llama3, yarn
  std::int64_t original_positions = 0;          // llama3, yarn: positions of the first training
  double low_freq_factor = 1.0;                 // llama3
  double high_freq_factor = 4.0;                // llama3
  double beta_fast = 32.0;                      // yarn
  double beta_slow = 1.0;                       // yarn
  bool truncate = true;                         // yarn
  std::optional<double> attention_factor = {};  // yarn
  std::optional<double> mscale = {};            // yarn
  std::optional<double> mscale_all_dim = {};    // yarn

  bool operator==(const RopeScaling&) const = default;
};

/// Angles per position, and what cos and sin are multiplied by.
struct RotaryFrequencies {
  at::Tensor frequency;  // [head_dim / 2]
  double scale = 1.0;
};

/// Returns the frequencies as the `transformers` package computes them, in the type (fp32, fp64) and on the device of
/// `options`. Does not wait for the device.
RotaryFrequencies rotary_frequencies(std::int64_t head_dim, double theta, const RopeScaling& scaling,
                                     const at::TensorOptions& options);

}  // namespace dflash
