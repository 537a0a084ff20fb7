// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/loss_difference.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <nlohmann/json.hpp>

namespace dflash {
namespace {

/// Not a number is null in JSON.
std::map<std::int64_t, Json> losses_of(const std::vector<Json>& metrics) {
  std::map<std::int64_t, Json> losses;
  for (const Json& line : metrics) {
    const auto step = line.find("step");
    const auto loss = line.find("loss");
    if (step != line.end() && loss != line.end() && step->is_number_integer() && !line.contains("event")) {
      losses[step->get<std::int64_t>()] = *loss;
    }
  }
  return losses;
}

double relative_difference(const Json& a, const Json& b) {
  if (!a.is_number() || !b.is_number()) {
    return 1.0;
  }
  const auto left = a.get<double>();
  const auto right = b.get<double>();
  return std::abs(left - right) / std::max({std::abs(left), std::abs(right), 1e-300});
}

}  // namespace

LossDifference loss_difference(const std::vector<Json>& a, const std::vector<Json>& b) {
  const std::map<std::int64_t, Json> others = losses_of(b);
  LossDifference difference;
  for (const auto& [step, loss] : losses_of(a)) {
    const auto other = others.find(step);
    if (other == others.end()) {
      continue;
    }
    ++difference.steps;
    const bool same = loss == other->second;
    difference.equal = difference.equal.value_or(true) && same;
    const double far = same ? 0.0 : relative_difference(loss, other->second);
    if (far > difference.largest) {
      difference.largest = far;
      difference.step = step;
    }
  }
  return difference;
}

}  // namespace dflash
