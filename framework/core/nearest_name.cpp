// SPDX-License-Identifier: Apache-2.0
#include "framework/core/nearest_name.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dflash {
namespace {

// Two letters in the wrong order count once: the commonest slip of all.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::vector<std::size_t> next(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      next[j] = std::min({row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1), row[j] + 1, next[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        next[j] = std::min(next[j], before[j - 2] + 1);
      }
    }
    before.swap(row);
    row.swap(next);
  }
  return row.back();
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  const std::size_t allowed = std::max<std::size_t>(1, name.size() / 3);
  std::string best;
  std::size_t best_distance = allowed + 1;
  for (const std::string& candidate : candidates) {
    // Names of megabytes may be compared with many; what differs in length by more than a slip needs no look.
    if (std::max(name.size(), candidate.size()) - std::min(name.size(), candidate.size()) > allowed) {
      continue;
    }
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& candidates) {
  if (candidates.empty()) {
    return "";
  }
  const std::string nearest = nearest_name(name, candidates);
  if (!nearest.empty()) {
    return fmt::format("; did you mean '{}'?", nearest);
  }
  return fmt::format("; known: {}", fmt::join(candidates, ", "));
}

}  // namespace dflash
