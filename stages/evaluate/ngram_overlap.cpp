// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/ngram_overlap.h"

#include <algorithm>
#include <numeric>

#include "framework/core/counter_random.h"

namespace dflash {
namespace {

std::vector<std::uint64_t> ngram_hashes(const std::vector<std::int64_t>& tokens) {
  std::vector<std::uint64_t> hashes;
  const auto length = static_cast<std::int64_t>(tokens.size());
  for (std::int64_t begin = 0; begin + kNgramLength <= length; ++begin) {
    std::uint64_t hash = 0;
    for (std::int64_t i = begin; i < begin + kNgramLength; ++i) {
      hash = scatter(hash ^ static_cast<std::uint64_t>(tokens[static_cast<std::size_t>(i)]));
    }
    hashes.push_back(hash);
  }
  return hashes;
}

}  // namespace

double distinct_ngram_share(const std::vector<std::int64_t>& tokens) {
  const std::vector<std::uint64_t> hashes = ngram_hashes(tokens);
  if (hashes.empty()) {
    return 1.0;
  }
  const std::unordered_set<std::uint64_t> distinct(hashes.begin(), hashes.end());
  return static_cast<double>(distinct.size()) / static_cast<double>(hashes.size());
}

void NgramSet::add(const std::vector<std::int64_t>& tokens) {
  for (const std::uint64_t hash : ngram_hashes(tokens)) {
    hashes_.insert(hash);
  }
}

NgramSet::Share NgramSet::share_of(const std::vector<std::int64_t>& tokens) const {
  const std::vector<std::uint64_t> hashes = ngram_hashes(tokens);
  const auto known =
      std::count_if(hashes.begin(), hashes.end(), [&](std::uint64_t hash) { return hashes_.contains(hash); });
  return {.known = known, .all = static_cast<std::int64_t>(hashes.size())};
}

OverlapReport measure_overlap(const std::vector<std::vector<std::int64_t>>& answers, const NgramSet& training) {
  OverlapReport report;
  NgramSet::Share pooled;
  for (const std::vector<std::int64_t>& answer : answers) {
    const NgramSet::Share share = training.share_of(answer);
    pooled.known += share.known;
    pooled.all += share.all;
    report.per_answer.push_back(share.value());
    report.distinct += distinct_ngram_share(answer) / static_cast<double>(answers.size());
  }
  report.in_training = pooled.value();
  report.lower.resize(answers.size());
  std::iota(report.lower.begin(), report.lower.end(), 0);
  std::stable_sort(report.lower.begin(), report.lower.end(),
                   [&](std::size_t a, std::size_t b) { return report.per_answer[a] < report.per_answer[b]; });
  report.lower.resize((answers.size() + 1) / 2);
  std::sort(report.lower.begin(), report.lower.end());
  return report;
}

}  // namespace dflash
