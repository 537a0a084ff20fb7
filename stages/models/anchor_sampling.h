// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dflash {

/// One document of a pack: tokens [begin, begin + length) of it, from the data row `row`.
struct PackDocument {
  std::uint64_t row = 0;
  std::int64_t begin = 0;
  std::int64_t length = 0;
  std::uint64_t epoch = 0;  // of the row
};

/// How anchors are drawn. The draw in a document depends on (seed, epoch, row) alone, so it is the same in any pack, on
/// any rank.
struct AnchorPolicy {
  std::int64_t num_anchors = 512;  // slots of a pack
  std::int64_t per_document =
      0;  // at most so many in each document; 0: the pack's slots are shared out by supervised length
  std::uint64_t seed = 0;
};

/// Returns the places of `document` (pack coordinates) where a block may begin: the token and its next are both
/// supervised and in the document (doc[t] >= 0, mask[t], mask[t+1], t+1 < end).
std::vector<std::int64_t> eligible_anchors(std::span<const std::uint8_t> loss_mask, const PackDocument& document);

/// Shares `slots` over documents in proportion to `supervised` tokens (largest remainder), none getting more than it
/// has `eligible` places; what one cannot use goes to the others. Deterministic.
std::vector<std::int64_t> share_anchor_slots(const std::vector<std::int64_t>& eligible,
                                             const std::vector<std::int64_t>& supervised, std::int64_t slots);

/// Draws anchors without replacement and returns them ascending in pack coordinates, at most `policy.num_anchors`.
std::vector<std::int64_t> sample_anchors(std::span<const std::uint8_t> loss_mask,
                                         const std::vector<PackDocument>& documents, const AnchorPolicy& policy);

}  // namespace dflash
