// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/core/json.h"

namespace dflash {

/// Counts the rows of a file that cannot be used, and keeps the first few reasons.
class RejectedRows {
 public:
  /// `place` is "file:line".
  void add(const std::string& place, const std::string& reason);
  [[nodiscard]] std::int64_t count() const { return count_; }

  /// "3 of 990 rows rejected:" and the first few reasons, a line each; empty where none was.
  [[nodiscard]] std::string note(std::int64_t rows) const;
  /// Throws UserError with the reasons where more than `max_fraction` of `rows` were rejected, or all.
  void check(std::int64_t rows, double max_fraction, const std::string& path) const;
  /// Throws UserError with the reasons where all of the first `rows` rows of a file were rejected, or there are none.
  void check_first(std::int64_t rows, const std::string& path) const;
  /// For the report: count and reasons.
  [[nodiscard]] Json summary() const;
  /// Goes on from such a summary.
  void restore(const Json& summary);

 private:
  [[nodiscard]] std::string first_reasons() const;

  std::int64_t count_ = 0;
  std::vector<std::string> reasons_;
};

}  // namespace dflash
