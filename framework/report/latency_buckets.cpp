// SPDX-License-Identifier: Apache-2.0
#include "framework/report/latency_buckets.h"

#include <algorithm>
#include <cmath>

namespace dflash {

LatencyBuckets latency_buckets(const std::vector<std::int64_t>& durations_ns, std::size_t most) {
  if (durations_ns.empty() || most == 0) {
    return {};
  }
  // In octaves; what is shorter than the clock can tell counts as 1 ns.
  const auto octave = [](std::int64_t ns) { return std::log2(static_cast<double>(std::max<std::int64_t>(ns, 1))); };
  const auto [least, greatest] = std::minmax_element(durations_ns.begin(), durations_ns.end());
  double width = 0.125;
  const auto bucket = [&width](double octaves) { return static_cast<std::int64_t>(std::floor(octaves / width)); };
  while (bucket(octave(*greatest)) - bucket(octave(*least)) >= static_cast<std::int64_t>(most)) {
    width *= 2;
  }
  const std::int64_t first = bucket(octave(*least));
  LatencyBuckets buckets;
  buckets.counts.resize(static_cast<std::size_t>(bucket(octave(*greatest)) - first) + 1);
  for (std::size_t i = 0; i <= buckets.counts.size(); ++i) {
    buckets.bounds_ns.push_back(std::exp2(static_cast<double>(first + static_cast<std::int64_t>(i)) * width));
  }
  for (const std::int64_t ns : durations_ns) {
    ++buckets.counts[static_cast<std::size_t>(bucket(octave(ns)) - first)];
  }
  return buckets;
}

}  // namespace dflash
