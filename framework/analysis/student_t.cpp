// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/student_t.h"

#include <cmath>
#include <numbers>

#include "framework/core/error.h"

namespace dflash {
namespace {

constexpr int kBisections = 60;
constexpr double kLargest = 1e9;

/// The probability to lie within -t to t: a finite sum of powers of cos(theta) for whole degrees (Abramowitz and
/// Stegun, 26.7.3 and 26.7.4).
double probability_within(double t, int degrees) {
  const double theta = std::atan(t / std::sqrt(static_cast<double>(degrees)));
  const double cosine = std::cos(theta);
  const bool odd = degrees % 2 == 1;
  double term = odd ? cosine : 1.0;
  double sum = degrees == 1 ? 0.0 : term;
  for (int i = odd ? 3 : 2; i < degrees; i += 2) {
    term *= cosine * cosine * (i - 1) / i;
    sum += term;
  }
  return odd ? 2.0 / std::numbers::pi * (theta + std::sin(theta) * sum) : std::sin(theta) * sum;
}

}  // namespace

double student_t(double confidence, int degrees) {
  DFLASH_CHECK(confidence > 0.0 && confidence < 1.0 && degrees >= 1, "confidence {}, degrees {}", confidence, degrees);
  double low = 0.0;
  double high = 1.0;
  while (probability_within(high, degrees) < confidence && high < kLargest) {
    high *= 2.0;
  }
  for (int i = 0; i < kBisections; ++i) {
    const double middle = 0.5 * (low + high);
    (probability_within(middle, degrees) < confidence ? low : high) = middle;
  }
  return high;
}

}  // namespace dflash
