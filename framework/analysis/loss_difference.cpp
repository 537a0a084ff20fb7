// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/loss_difference.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "framework/analysis/step_lines.h"

namespace dflash {
namespace {

double relative_difference(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b) {
    return 1.0;
  }
  return std::abs(*a - *b) / std::max({std::abs(*a), std::abs(*b), 1e-300});
}

}  // namespace

StepLosses losses_of(const std::vector<Json>& metrics) {
  StepLosses losses;
  for (const auto& [step, line] : step_lines(metrics)) {
    if (const auto loss = line->find("loss"); loss != line->end()) {
      losses.push_back({step, loss->is_number() ? std::optional{loss->get<double>()} : std::nullopt});
    }
  }
  return losses;
}

LossDifference loss_difference(const StepLosses& a, const StepLosses& b) {
  LossDifference difference;
  auto other = b.begin();
  for (const auto& [step, loss] : a) {
    other = std::find_if(other, b.end(), [wanted = step](const StepLoss& next) { return next.step >= wanted; });
    if (other == b.end()) {
      break;
    }
    if (other->step != step) {
      continue;
    }
    ++difference.steps;
    const bool same = loss == other->loss;
    difference.equal = difference.equal.value_or(true) && same;
    const double far = same ? 0.0 : relative_difference(loss, other->loss);
    if (far > difference.largest) {
      difference.largest = far;
      difference.step = step;
    }
  }
  return difference;
}

LossDifference farthest_loss(const std::vector<const StepLosses*>& runs) {
  LossDifference farthest;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const LossDifference found = loss_difference(*runs.front(), *runs[i]);
    if (!found.equal) {
      return {};
    }
    if (!farthest.equal || (*farthest.equal && !*found.equal) || found.largest > farthest.largest) {
      farthest = found;
    }
  }
  return farthest;
}

}  // namespace dflash
