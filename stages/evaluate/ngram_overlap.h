// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

namespace dflash {

/// Length of the token sequences by which answers are compared.
inline constexpr std::int64_t kNgramLength = 8;

/// Returns distinct 8-grams / all 8-grams of one answer; 1 for an answer too short to have one. Low where text loops.
double distinct_ngram_share(const std::vector<std::int64_t>& tokens);

/// The 8-grams of many answers, kept as 64-bit hashes.
class NgramSet {
 public:
  void add(const std::vector<std::int64_t>& tokens);
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(hashes_.size()); }

  /// How many of an answer's 8-grams (repeats counted) are in the set.
  struct Share {
    std::int64_t known = 0;
    std::int64_t all = 0;
    [[nodiscard]] double value() const {
      return all == 0 ? 0.0 : static_cast<double>(known) / static_cast<double>(all);
    }
  };
  [[nodiscard]] Share share_of(const std::vector<std::int64_t>& tokens) const;

 private:
  std::unordered_set<std::uint64_t> hashes_;
};

/// How held-out answers relate to themselves and to the training answers.
struct OverlapReport {
  double distinct = 0.0;           // mean over answers of distinct_ngram_share
  double in_training = 0.0;        // share of all their 8-grams that occur in the training answers, pooled
  std::vector<double> per_answer;  // the same for each answer
  std::vector<std::size_t> lower;  // the answers of lower overlap, in order: half of them, rounded up
};

/// Compares `answers` with the 8-grams of the training answers. Equal overlaps are split by their order.
OverlapReport measure_overlap(const std::vector<std::vector<std::int64_t>>& answers, const NgramSet& training);

}  // namespace dflash
