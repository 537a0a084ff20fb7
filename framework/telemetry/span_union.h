// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace dflash {

/// Time covered by spans that overlap and come in about the order of time.
class SpanUnion {
 public:
  void add(std::int64_t begin, std::int64_t end);
  /// Forgets all but the newest pieces of the covered time: no span that touches the others will follow.
  void settle_all_but(std::size_t newest);

  /// Of all spans; each moment once.
  [[nodiscard]] std::int64_t covered() const;
  /// The lengths of all spans.
  [[nodiscard]] std::int64_t sum() const { return sum_; }
  /// Pieces that are not forgotten.
  [[nodiscard]] std::size_t pieces() const { return pieces_.size(); }

 private:
  std::map<std::int64_t, std::int64_t> pieces_;  // begin to end, apart from each other
  std::int64_t settled_ = 0;                     // covered by pieces no longer kept
  std::int64_t settled_until_ = 0;
  std::int64_t sum_ = 0;
};

}  // namespace dflash
