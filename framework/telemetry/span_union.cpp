// SPDX-License-Identifier: Apache-2.0
#include "framework/telemetry/span_union.h"

#include <algorithm>
#include <iterator>

namespace dflash {

void SpanUnion::add(std::int64_t begin, std::int64_t end) {
  end = std::max(begin, end);
  sum_ += end - begin;
  begin = std::max(begin, settled_until_);
  if (begin >= end) {
    return;
  }
  auto piece = pieces_.upper_bound(begin);
  if (piece != pieces_.begin() && std::prev(piece)->second >= begin) {
    --piece;
  }
  while (piece != pieces_.end() && piece->first <= end) {
    begin = std::min(begin, piece->first);
    end = std::max(end, piece->second);
    piece = pieces_.erase(piece);
  }
  pieces_.emplace(begin, end);
}

void SpanUnion::settle_all_but(std::size_t newest) {
  while (pieces_.size() > newest) {
    const auto piece = pieces_.begin();
    settled_ += piece->second - piece->first;
    settled_until_ = piece->second;
    pieces_.erase(piece);
  }
}

std::int64_t SpanUnion::covered() const {
  std::int64_t covered = settled_;
  for (const auto& [begin, end] : pieces_) {
    covered += end - begin;
  }
  return covered;
}

}  // namespace dflash
