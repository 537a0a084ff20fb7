// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace dflash {

/// One round of speculative decoding: a block was drafted, the target verified it.
struct DecodeRound {
  std::int64_t emitted =
      0;  // tokens that the round added to the answer: accepted drafts and the bonus token, after cuts
  std::int64_t drafted = 0;  // how many of them the drafter had proposed; emitted - 1 where nothing was cut
  /// Draft slots that could have been accepted: fewer than block - 1 in a round that was cut at the limit or behind a
  /// stop token. -1: all.
  std::int64_t offered = -1;
};

/// How often the drafts of one slot were accepted. A slot is accepted only behind an accepted one.
struct SlotAcceptance {
  std::int64_t offered = 0;                  // rounds that had the slot
  std::int64_t reached = 0;                  // those of them that had accepted all slots before it
  std::int64_t accepted = 0;                 // those of them that accepted this one too
  [[nodiscard]] double marginal() const;     // accepted / offered
  [[nodiscard]] double conditional() const;  // accepted / reached
};

/// Acceptance lengths of a set of prompts. A round counts what it emitted: at least 1, at most the block size. The
/// token that the prefill yields belongs to no round; the last round of a prompt is cut at the limit and after a stop
/// token, and counts as cut.
struct AcceptanceStatistics {
  std::int64_t prompts = 0;  // also those without a round
  std::int64_t rounds = 0;
  std::int64_t tokens = 0;  // sum of `emitted`
  double tau = 0.0;         // tokens / rounds, pooled over all rounds of all prompts; bonus included; 0 without rounds
  double tau_of_prompts =
      0.0;  // mean over prompts (with a round) of their own tokens / rounds; z-lab's and the paper's figure
  double accepted_drafts = 0.0;         // drafted tokens / rounds: the same without the bonus token
  std::vector<double> slot_acceptance;  // [block - 1]; entry k-1: share of all rounds with drafted >= k
  std::vector<SlotAcceptance> slots;    // [block - 1]
};

/// Computes the statistics of one list of rounds per prompt. `block_size` counts the anchor.
AcceptanceStatistics acceptance_statistics(const std::vector<std::vector<DecodeRound>>& prompts,
                                           std::int64_t block_size);

/// Returns what each round emitted, in order.
std::vector<std::int64_t> accepted_lengths(const std::vector<DecodeRound>& rounds);

}  // namespace dflash
