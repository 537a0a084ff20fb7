// SPDX-License-Identifier: Apache-2.0
#include "stages/data/bpe_merges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/counter_random.h"

namespace dflash {
namespace {

using testing::ElementsAre;

std::vector<BpeSymbol> applied(const BpeMerges& merges, std::vector<BpeSymbol> symbols) {
  merges.apply(symbols);
  return symbols;
}

/// The definition: look at all pairs, merge the best, look again.
std::vector<BpeSymbol> by_definition(const std::vector<BpeMerges::Merge>& merges, std::vector<BpeSymbol> symbols) {
  for (std::size_t rank = 0; rank < merges.size();) {
    const auto pair = std::adjacent_find(symbols.begin(), symbols.end(), [&](const BpeSymbol& a, const BpeSymbol& b) {
      return a.id == merges[rank].left && b.id == merges[rank].right;
    });
    if (pair == symbols.end()) {
      ++rank;
      continue;
    }
    *pair = {merges[rank].merged, pair->length + (pair + 1)->length};
    symbols.erase(pair + 1);
    rank = 0;
  }
  return symbols;
}

TEST(BpeMerges, LowestRankGoesFirstThenTheLeftmost) {
  const BpeMerges merges{{{2, 3, 10}, {1, 2, 11}, {1, 1, 12}}};
  EXPECT_THAT(applied(merges, {{1, 1}, {2, 1}, {3, 1}}), ElementsAre(BpeSymbol{1, 1}, BpeSymbol{10, 2}));
  EXPECT_THAT(applied(merges, {{1, 1}, {1, 1}, {1, 1}}), ElementsAre(BpeSymbol{12, 2}, BpeSymbol{1, 1}));
}

TEST(BpeMerges, LaterOfTwoMergesOfOnePairCounts) {
  const BpeMerges merges{{{1, 2, 10}, {2, 3, 11}, {1, 2, 12}}};
  EXPECT_THAT(applied(merges, {{1, 1}, {2, 1}, {3, 1}}), ElementsAre(BpeSymbol{1, 1}, BpeSymbol{11, 2}));
}

TEST(BpeMerges, LeavesNothingAndOneSymbolAlone) {
  const BpeMerges merges{{{1, 1, 2}}};
  EXPECT_THAT(applied(merges, {}), testing::IsEmpty());
  EXPECT_THAT(applied(merges, {{1, 1}}), ElementsAre(BpeSymbol{1, 1}));
}

TEST(BpeMerges, ShortAndLongPiecesFollowTheDefinition) {
  const std::vector<BpeMerges::Merge> merges{{0, 1, 4}, {4, 4, 5}, {1, 2, 6}, {6, 0, 7},
                                             {3, 3, 8}, {8, 3, 9}, {5, 9, 10}};
  const BpeMerges table{merges};
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    std::vector<BpeSymbol> symbols;
    for (std::uint64_t at = 0; at < trial; ++at) {
      symbols.push_back({static_cast<std::int32_t>(counter_random(1, {trial, at}) % 4), 1});
    }
    ASSERT_EQ(applied(table, symbols), by_definition(merges, symbols)) << trial;
  }
}

}  // namespace
}  // namespace dflash
