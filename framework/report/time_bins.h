// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dflash {

/// Stretches of time side by side: bin i lasts from bounds[i] to bounds[i + 1].
class TimeBins {
 public:
  /// `bounds` rise and are at least two, else there are no bins.
  explicit TimeBins(std::vector<std::int64_t> bounds) : bounds_{std::move(bounds)} {}
  /// `count` bins of equal length, as near as whole nanoseconds allow; fewer where there are fewer nanoseconds.
  static TimeBins equal(std::int64_t begin, std::int64_t end, std::size_t count);

  [[nodiscard]] std::size_t size() const { return bounds_.size() < 2 ? 0 : bounds_.size() - 1; }
  [[nodiscard]] std::int64_t begin() const { return bounds_.empty() ? 0 : bounds_.front(); }
  [[nodiscard]] std::int64_t end() const { return bounds_.empty() ? 0 : bounds_.back(); }
  [[nodiscard]] std::int64_t length(std::size_t bin) const { return bounds_[bin + 1] - bounds_[bin]; }

  /// Calls add(bin, ns) for each bin that the stretch from `from` to `to` touches.
  template <class Add>
  void cut(std::int64_t from, std::int64_t to, const Add& add) const {
    if (size() == 0 || to <= begin() || from >= end()) {
      return;
    }
    for (std::size_t bin = bin_of(from); bin < size() && bounds_[bin] < to; ++bin) {
      const std::int64_t ns = std::min(to, bounds_[bin + 1]) - std::max(from, bounds_[bin]);
      if (ns > 0) {
        add(bin, ns);
      }
    }
  }

  /// Of a time before the first bin that bin, of one behind the last the last. There must be a bin.
  [[nodiscard]] std::size_t bin_of(std::int64_t at) const;

 private:
  std::vector<std::int64_t> bounds_;
};

}  // namespace dflash
