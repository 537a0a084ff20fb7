// SPDX-License-Identifier: Apache-2.0
#include "stages/data/rejected_rows.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"

namespace dflash {

namespace {
constexpr std::size_t kKeptReasons = 10;
}

void RejectedRows::add(const std::string& place, const std::string& reason) {
  ++count_;
  if (reasons_.size() < kKeptReasons) {
    reasons_.push_back(fmt::format("{}: {}", place, reason));
  }
}

void RejectedRows::check(std::int64_t rows, double max_fraction, const std::string& path) const {
  DFLASH_USER_CHECK(rows > 0, "{}: there are no rows", path);
  const bool allowed = count_ < rows && static_cast<double>(count_) <= max_fraction * static_cast<double>(rows);
  DFLASH_USER_CHECK(allowed, "{}: {} of {} rows are rejected, allowed is a fraction of {} (max_bad_fraction):\n  {}",
                    path, count_, rows, max_fraction, fmt::join(reasons_, "\n  "));
}

Json RejectedRows::summary() const { return {{"count", count_}, {"first", reasons_}}; }

}  // namespace dflash
