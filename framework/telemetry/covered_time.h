// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace dflash {

/// Time covered by stretches that come one by one, each moment once. Keeps no more than where they have come to, so
/// what of a stretch lies before the end of an earlier one is not counted; SpanUnion does count it.
class CoveredTime {
 public:
  void add(std::int64_t begin, std::int64_t end) {
    ns_ += std::max<std::int64_t>(end - std::max(begin, until_), 0);
    until_ = std::max(until_, end);
  }
  [[nodiscard]] std::int64_t ns() const { return ns_; }

 private:
  std::int64_t ns_ = 0;
  std::int64_t until_ = 0;
};

}  // namespace dflash
