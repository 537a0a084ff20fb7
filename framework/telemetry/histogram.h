// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace dflash {

/// Counts durations in log-linear buckets: 32 to each power of two, so a quantile is off by at most 3.2 % (below 64 it
/// is exact). Count, sum and maximum are exact. One writer at a time; copies are independent. An empty one owns no
/// memory, a full one 15 KiB.
class Histogram {
 public:
  /// Adds one value in nanoseconds. Negative values count as 0.
  void record(std::int64_t value) {
    value = std::max<std::int64_t>(value, 0);
    const std::size_t bucket = bucket_of(static_cast<std::uint64_t>(value));
    if (bucket >= buckets_.size()) {
      buckets_.resize(bucket + 1);
    }
    ++buckets_[bucket];
    ++count_;
    sum_ = std::min(sum_, std::numeric_limits<std::int64_t>::max() - value) + value;
    max_ = std::max(max_, value);
  }
  /// Adds all values of another histogram.
  void merge(const Histogram& other);

  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] std::int64_t sum() const { return sum_; }
  [[nodiscard]] std::int64_t max() const { return max_; }
  /// 0 where nothing was recorded.
  [[nodiscard]] double mean() const;
  /// The value that a share `q` (0 to 1) of all values does not exceed; at most `max()`. 0 where nothing was recorded.
  [[nodiscard]] std::int64_t quantile(double q) const;

 private:
  static constexpr int kSubBits = 5;

  /// Values below 2^(kSubBits + 1) have a bucket each; above, the leading kSubBits + 1 bits choose.
  static std::size_t bucket_of(std::uint64_t value) {
    const int shift = std::max(static_cast<int>(std::bit_width(value)) - (kSubBits + 1), 0);
    return (static_cast<std::size_t>(shift) << kSubBits) + static_cast<std::size_t>(value >> shift);
  }
  static std::int64_t middle_of(std::size_t bucket);

  std::vector<std::int64_t> buckets_;
  std::int64_t count_ = 0;
  std::int64_t sum_ = 0;
  std::int64_t max_ = 0;
};

}  // namespace dflash
