// SPDX-License-Identifier: Apache-2.0
#include "stages/models/rope_scaling.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <ATen/ATen.h>

namespace dflash {
namespace {

at::Tensor llama3_frequency(const at::Tensor& plain, const RopeScaling& scaling) {
  const auto original = static_cast<double>(scaling.original_positions);
  const double longest = original / scaling.low_freq_factor;
  const double shortest = original / scaling.high_freq_factor;
  const at::Tensor wavelength = plain.reciprocal() * (2.0 * std::numbers::pi);
  const at::Tensor smooth = (wavelength.reciprocal() * original - scaling.low_freq_factor) /
                            (scaling.high_freq_factor - scaling.low_freq_factor);
  const at::Tensor slow = plain / scaling.factor;
  const at::Tensor between = (1.0 - smooth) * slow + smooth * plain;
  const at::Tensor above_shortest = at::where(wavelength.gt(longest), slow, between);
  return at::where(wavelength.lt(shortest), plain, above_shortest);
}

/// The pair, as a fraction of all channels, that turns so often in the positions of the first training.
double yarn_channel(double turns, double head_dim, double theta, double original_positions) {
  return head_dim * std::log(original_positions / (turns * 2.0 * std::numbers::pi)) / (2.0 * std::log(theta));
}

at::Tensor yarn_frequency(const at::Tensor& plain, std::int64_t head_dim, double theta, const RopeScaling& scaling) {
  const auto channels = static_cast<double>(head_dim);
  const auto original = static_cast<double>(scaling.original_positions);
  double low = yarn_channel(scaling.beta_fast, channels, theta, original);
  double high = yarn_channel(scaling.beta_slow, channels, theta, original);
  if (scaling.truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, channels - 1.0);
  if (low == high) {
    high += 0.001;  // as transformers does it
  }
  const at::Tensor ramp = ((at::arange(head_dim / 2, plain.options()) - low) / (high - low)).clamp(0.0, 1.0);
  const at::Tensor kept = 1.0 - ramp;
  return plain / scaling.factor * (1.0 - kept) + plain * kept;
}

double yarn_scale(const RopeScaling& scaling) {
  const auto growth = [&](double weight) {
    return scaling.factor <= 1.0 ? 1.0 : 0.1 * weight * std::log(scaling.factor) + 1.0;
  };
  if (scaling.attention_factor) {
    return *scaling.attention_factor;
  }
  return scaling.mscale && scaling.mscale_all_dim ? growth(*scaling.mscale) / growth(*scaling.mscale_all_dim)
                                                  : growth(1.0);
}

}  // namespace

RotaryFrequencies rotary_frequencies(std::int64_t head_dim, double theta, const RopeScaling& scaling,
                                     const at::TensorOptions& options) {
  const at::Tensor exponent = at::arange(0, head_dim, 2, options) / static_cast<double>(head_dim);
  const at::Tensor plain = at::pow(theta, exponent).reciprocal();
  switch (scaling.kind) {
    case RopeKind::kLinear:
      return {.frequency = plain / scaling.factor};
    case RopeKind::kLlama3:
      return {.frequency = llama3_frequency(plain, scaling)};
    case RopeKind::kYarn:
      return {.frequency = yarn_frequency(plain, head_dim, theta, scaling), .scale = yarn_scale(scaling)};
    case RopeKind::kDefault:
      break;
  }
  return {.frequency = plain};
}

}  // namespace dflash
