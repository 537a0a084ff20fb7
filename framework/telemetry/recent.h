// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dflash {

/// The newest entries of something that may go on for days. Memory grows as far as it is used and no further. One
/// writer at a time.
template <class Entry>
class Recent {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 15;

  void add(const Entry& entry) {
    if (entries_.size() < kMost) {
      entries_.push_back(entry);
    } else {
      entries_[static_cast<std::size_t>(count_) % kMost] = entry;
    }
    ++count_;
  }

  /// How many were ever added.
  [[nodiscard]] std::int64_t count() const { return count_; }
  /// How many of them are no longer kept.
  [[nodiscard]] std::int64_t lost() const { return count_ - static_cast<std::int64_t>(entries_.size()); }
  /// Of those that are kept; there is one.
  [[nodiscard]] const Entry& oldest() const { return entries_[place_of_oldest()]; }
  [[nodiscard]] std::vector<Entry> oldest_first() const {
    const auto oldest = entries_.begin() + static_cast<std::ptrdiff_t>(place_of_oldest());
    std::vector<Entry> ordered{oldest, entries_.end()};
    ordered.insert(ordered.end(), entries_.begin(), oldest);
    return ordered;
  }

 private:
  [[nodiscard]] std::size_t place_of_oldest() const {
    return lost() > 0 ? static_cast<std::size_t>(count_) % kMost : 0;
  }

  std::vector<Entry> entries_;
  std::int64_t count_ = 0;
};

}  // namespace dflash
