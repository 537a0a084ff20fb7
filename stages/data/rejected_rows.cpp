// SPDX-License-Identifier: Apache-2.0
#include "stages/data/rejected_rows.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"

namespace dflash {

namespace {
constexpr std::size_t kKeptReasons = 10;
constexpr std::int64_t kToldReasons = 4;
}  // namespace

void RejectedRows::add(const std::string& place, const std::string& reason) {
  ++count_;
  if (reasons_.size() < kKeptReasons) {
    reasons_.push_back(fmt::format("{}: {}", place, reason));
  }
}

void RejectedRows::check(std::int64_t rows, double max_fraction, const std::string& path) const {
  DFLASH_USER_CHECK(rows > 0, "{}: there are no rows", path);
  DFLASH_USER_CHECK(count_ < rows, "{}: none of its rows can be used ({} of {} rejected):{}", path, count_, rows,
                    first_reasons());
  const bool allowed = static_cast<double>(count_) <= max_fraction * static_cast<double>(rows);
  DFLASH_USER_CHECK(allowed, "{}: {} of {} rows are rejected, allowed is a fraction of {} (max_bad_fraction):{}", path,
                    count_, rows, max_fraction, first_reasons());
}

void RejectedRows::check_first(std::int64_t rows, const std::string& path) const {
  DFLASH_USER_CHECK(rows > 0, "{}: there are no rows", path);
  DFLASH_USER_CHECK(count_ < rows, "{}: none of the first rows can be used ({} of {} rejected):{}", path, count_, rows,
                    first_reasons());
}

std::string RejectedRows::first_reasons() const {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(reasons_.size(), kToldReasons); ++i) {
    text += "\n    " + reasons_[i];
  }
  const std::int64_t untold = count_ - std::min<std::int64_t>(count_, kToldReasons);
  return untold > 0 ? text + fmt::format("\n    ... and {} more", untold) : text;
}

std::string RejectedRows::note(std::int64_t rows) const {
  return count_ == 0 ? "" : fmt::format("{} of {} rows rejected:{}", count_, rows, first_reasons());
}

void RejectedRows::restore(const Json& summary) {
  count_ = summary.at("count");
  reasons_ = summary.at("first").get<std::vector<std::string>>();
}

Json RejectedRows::summary() const { return {{"count", count_}, {"first", reasons_}}; }

}  // namespace dflash
