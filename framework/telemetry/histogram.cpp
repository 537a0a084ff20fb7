// SPDX-License-Identifier: Apache-2.0
#include "framework/telemetry/histogram.h"

#include <cmath>

namespace dflash {

void Histogram::merge(const Histogram& other) {
  if (other.buckets_.size() > buckets_.size()) {
    buckets_.resize(other.buckets_.size());
  }
  for (std::size_t i = 0; i < other.buckets_.size(); ++i) {
    buckets_[i] += other.buckets_[i];
  }
  count_ += other.count_;
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
}

double Histogram::mean() const { return count_ == 0 ? 0.0 : static_cast<double>(sum_) / static_cast<double>(count_); }

std::int64_t Histogram::quantile(double q) const {
  if (count_ == 0) {
    return 0;
  }
  const double share = std::clamp(q, 0.0, 1.0) * static_cast<double>(count_);
  const auto rank = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(share)), 1, count_);
  std::int64_t seen = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen >= rank) {
      return std::min(middle_of(i), max_);
    }
  }
  return max_;
}

std::int64_t Histogram::middle_of(std::size_t bucket) {
  constexpr std::size_t kLinear = std::size_t{2} << kSubBits;
  if (bucket < kLinear) {
    return static_cast<std::int64_t>(bucket);
  }
  const std::size_t shift = (bucket >> kSubBits) - 1;
  const std::size_t mantissa = bucket - (shift << kSubBits);
  const std::uint64_t low = static_cast<std::uint64_t>(mantissa) << shift;
  return static_cast<std::int64_t>(low + ((std::uint64_t{1} << shift) >> 1));
}

}  // namespace dflash
