// SPDX-License-Identifier: Apache-2.0
#include "stages/data/bpe_merges.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>

namespace dflash {

namespace {

/// Up to here looking at all pairs for the best one is quicker than keeping them in order.
constexpr std::size_t kFewSymbols = 64;
constexpr std::uint32_t kNoRank = std::numeric_limits<std::uint32_t>::max();

/// A symbol of a long piece, linked to its living neighbours.
struct Link {
  BpeSymbol symbol;
  std::ptrdiff_t previous = 0;
  std::ptrdiff_t next = 0;
};

/// A pair that was mergeable when it was seen; stale once one of its two tokens has changed.
struct Candidate {
  std::uint32_t rank = 0;
  std::ptrdiff_t at = 0;
  std::int32_t left = 0;
  std::int32_t right = 0;
  std::int32_t merged = 0;

  bool operator>(const Candidate& other) const { return std::tie(rank, at) > std::tie(other.rank, other.at); }
};

}  // namespace

BpeMerges::BpeMerges(const std::vector<Merge>& merges) : slots_(std::bit_ceil(2 * merges.size() + 2)) {
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const Merge& merge = merges[rank];
    slots_[slot_of(merge.left, merge.right)] = {merge.left, merge.right, static_cast<std::uint32_t>(rank),
                                                merge.merged};
  }
}

std::size_t BpeMerges::slot_of(std::int32_t left, std::int32_t right) const {
  const std::size_t mask = slots_.size() - 1;
  const std::uint64_t key =
      (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) | static_cast<std::uint32_t>(right);
  std::size_t slot = ((key * 0x9E3779B97F4A7C15ULL) >> 32) & mask;
  while (slots_[slot].left >= 0 && (slots_[slot].left != left || slots_[slot].right != right)) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

const BpeMerges::Slot* BpeMerges::find(std::int32_t left, std::int32_t right) const {
  const Slot& slot = slots_[slot_of(left, right)];
  return slot.left < 0 ? nullptr : &slot;
}

void BpeMerges::apply(std::vector<BpeSymbol>& symbols) const {
  if (symbols.size() <= kFewSymbols) {
    apply_to_few(symbols);
  } else {
    apply_to_many(symbols);
  }
}

void BpeMerges::apply_to_few(std::vector<BpeSymbol>& symbols) const {
  std::array<std::uint32_t, kFewSymbols> ranks{};  // of the pair that begins at each symbol
  std::array<std::int32_t, kFewSymbols> merged{};
  const auto look_up = [&](std::size_t at) {
    const Slot* slot = at + 1 < symbols.size() ? find(symbols[at].id, symbols[at + 1].id) : nullptr;
    ranks[at] = slot != nullptr ? slot->rank : kNoRank;
    merged[at] = slot != nullptr ? slot->merged : 0;
  };
  for (std::size_t at = 0; at < symbols.size(); ++at) {
    look_up(at);
  }
  while (symbols.size() > 1) {
    const auto best = std::min_element(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(symbols.size()));
    if (*best == kNoRank) {
      break;
    }
    const auto at = best - ranks.begin();
    symbols[at] = {merged[at], symbols[at].length + symbols[at + 1].length};
    symbols.erase(symbols.begin() + at + 1);
    std::copy(ranks.begin() + at + 2, ranks.end(), ranks.begin() + at + 1);
    std::copy(merged.begin() + at + 2, merged.end(), merged.begin() + at + 1);
    look_up(at);
    if (at > 0) {
      look_up(at - 1);
    }
  }
}

void BpeMerges::apply_to_many(std::vector<BpeSymbol>& symbols) const {
  const auto count = static_cast<std::ptrdiff_t>(symbols.size());
  std::vector<Link> links;
  links.reserve(symbols.size());
  for (std::ptrdiff_t at = 0; at < count; ++at) {
    links.push_back({symbols[at], at - 1, at + 1 < count ? at + 1 : -1});
  }
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
  const auto offer = [&](std::ptrdiff_t at) {
    if (at < 0 || links[at].next < 0) {
      return;
    }
    const std::int32_t left = links[at].symbol.id;
    const std::int32_t right = links[links[at].next].symbol.id;
    if (const Slot* slot = find(left, right)) {
      candidates.push({slot->rank, at, left, right, slot->merged});
    }
  };
  for (std::ptrdiff_t at = 0; at < count; ++at) {
    offer(at);
  }
  while (!candidates.empty()) {
    const Candidate best = candidates.top();
    candidates.pop();
    Link& link = links[best.at];
    if (link.symbol.length == 0 || link.next < 0 || link.symbol.id != best.left ||
        links[link.next].symbol.id != best.right) {
      continue;
    }
    Link& gone = links[link.next];
    link.symbol = {best.merged, link.symbol.length + gone.symbol.length};
    link.next = gone.next;
    gone.symbol.length = 0;
    if (link.next >= 0) {
      links[link.next].previous = best.at;
    }
    offer(best.at);
    offer(link.previous);
  }
  symbols.clear();
  for (std::ptrdiff_t at = 0; at >= 0; at = links[at].next) {
    symbols.push_back(links[at].symbol);
  }
}

}  // namespace dflash
