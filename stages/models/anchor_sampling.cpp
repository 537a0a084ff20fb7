// SPDX-License-Identifier: Apache-2.0
#include "stages/models/anchor_sampling.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "framework/core/counter_random.h"
#include "framework/core/error.h"

namespace dflash {
namespace {

using Counts = std::vector<std::int64_t>;

std::int64_t sum(const Counts& counts) { return std::accumulate(counts.begin(), counts.end(), std::int64_t{0}); }

/// One round of largest remainder: gives `slots` to the documents that still have room, never beyond the room.
std::int64_t share_round(const Counts& room, const Counts& supervised, std::int64_t slots, Counts& shares) {
  std::int64_t total = 0;
  for (std::size_t d = 0; d < room.size(); ++d) {
    total += room[d] > shares[d] ? supervised[d] : 0;
  }
  std::vector<std::pair<std::int64_t, std::size_t>> remainders;  // (negative remainder, document): sorts largest first
  std::int64_t given = 0;
  for (std::size_t d = 0; d < room.size(); ++d) {
    if (room[d] <= shares[d]) {
      continue;
    }
    const std::int64_t exact = slots * supervised[d];
    const std::int64_t share = std::min(exact / total, room[d] - shares[d]);
    shares[d] += share;
    given += share;
    remainders.emplace_back(-(exact % total), d);
  }
  std::sort(remainders.begin(), remainders.end());
  for (const auto& [remainder, d] : remainders) {
    if (given < slots && shares[d] < room[d]) {
      ++shares[d];
      ++given;
    }
  }
  return given;
}

Counts document_shares(const std::vector<Counts>& eligible, const Counts& supervised, const AnchorPolicy& policy) {
  Counts room;
  for (const auto& places : eligible) {
    const auto available = static_cast<std::int64_t>(places.size());
    room.push_back(policy.per_document > 0 ? std::min(available, policy.per_document) : available);
  }
  return share_anchor_slots(room, supervised, policy.num_anchors);
}

/// The `count` places with the smallest random keys: a draw without replacement whose smaller draws are subsets of
/// larger ones.
Counts draw(const Counts& places, const PackDocument& document, std::int64_t count, const AnchorPolicy& policy) {
  std::vector<std::pair<std::uint64_t, std::int64_t>> keyed;
  keyed.reserve(places.size());
  for (const auto place : places) {
    const auto offset = static_cast<std::uint64_t>(place - document.begin);
    keyed.emplace_back(counter_random(policy.seed, {document.epoch, document.row, offset}), place);
  }
  std::sort(keyed.begin(), keyed.end());
  Counts chosen;
  for (std::int64_t i = 0; i < count; ++i) {
    chosen.push_back(keyed[static_cast<std::size_t>(i)].second);
  }
  return chosen;
}

}  // namespace

std::vector<std::int64_t> eligible_anchors(std::span<const std::uint8_t> loss_mask, const PackDocument& document) {
  const std::int64_t end = document.begin + document.length;
  DFLASH_CHECK(document.begin >= 0 && end <= static_cast<std::int64_t>(loss_mask.size()),
               "document [{}, {}) lies outside a pack of {} tokens", document.begin, end, loss_mask.size());
  Counts places;
  for (std::int64_t t = document.begin; t + 1 < end; ++t) {
    if (loss_mask[static_cast<std::size_t>(t)] != 0 && loss_mask[static_cast<std::size_t>(t + 1)] != 0) {
      places.push_back(t);
    }
  }
  return places;
}

std::vector<std::int64_t> share_anchor_slots(const std::vector<std::int64_t>& eligible,
                                             const std::vector<std::int64_t>& supervised, std::int64_t slots) {
  DFLASH_CHECK(eligible.size() == supervised.size(), "{} and {} documents", eligible.size(), supervised.size());
  Counts shares(eligible.size(), 0);
  std::int64_t left = std::min(slots, sum(eligible));
  while (left > 0) {
    left -= share_round(eligible, supervised, left, shares);
  }
  return shares;
}

std::vector<std::int64_t> sample_anchors(std::span<const std::uint8_t> loss_mask,
                                         const std::vector<PackDocument>& documents, const AnchorPolicy& policy) {
  std::vector<Counts> eligible;
  Counts supervised;
  for (const auto& document : documents) {
    eligible.push_back(eligible_anchors(loss_mask, document));
    const auto tokens =
        loss_mask.subspan(static_cast<std::size_t>(document.begin), static_cast<std::size_t>(document.length));
    supervised.push_back(static_cast<std::int64_t>(tokens.size()) - std::count(tokens.begin(), tokens.end(), 0));
  }
  const Counts shares = document_shares(eligible, supervised, policy);
  Counts anchors;
  for (std::size_t d = 0; d < documents.size(); ++d) {
    const Counts chosen = draw(eligible[d], documents[d], shares[d], policy);
    anchors.insert(anchors.end(), chosen.begin(), chosen.end());
  }
  std::sort(anchors.begin(), anchors.end());
  return anchors;
}

}  // namespace dflash
