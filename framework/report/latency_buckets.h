// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dflash {

/// How often which duration came, for a picture: bucket i holds those from bounds_ns[i] to below bounds_ns[i + 1].
/// Bounds grow by one factor, the smallest of 2^(1/8), 2^(1/4), 2^(1/2), 2, 4, ... that does with `most` buckets. Empty
/// where there are no durations.
struct LatencyBuckets {
  std::vector<double> bounds_ns;
  std::vector<std::int64_t> counts;
};

LatencyBuckets latency_buckets(const std::vector<std::int64_t>& durations_ns, std::size_t most);

}  // namespace dflash
