// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/acceptance.h"

#include <algorithm>

#include "framework/core/error.h"

namespace dflash {
namespace {

std::int64_t emitted_tokens(const std::vector<DecodeRound>& rounds) {
  std::int64_t sum = 0;
  for (const DecodeRound& round : rounds) {
    sum += round.emitted;
  }
  return sum;
}

double ratio(double numerator, std::int64_t denominator) {
  return denominator == 0 ? 0.0 : numerator / static_cast<double>(denominator);
}

void check_round(const DecodeRound& round, std::int64_t block_size) {
  DFLASH_CHECK(round.emitted >= 1 && round.emitted <= block_size, "a round emitted {} tokens of a block of {}",
               round.emitted, block_size);
  DFLASH_CHECK(round.drafted >= 0 && round.drafted <= std::min(round.emitted, block_size - 1),
               "a round of {} tokens has {} drafted ones", round.emitted, round.drafted);
  DFLASH_CHECK(round.offered < 0 || round.drafted <= round.offered, "a round with {} slots accepted {}", round.offered,
               round.drafted);
}

/// Slot k stands at index k-1.
void count_slots(const DecodeRound& round, std::vector<SlotAcceptance>& slots) {
  const auto all = static_cast<std::int64_t>(slots.size());
  const std::int64_t offered = round.offered < 0 ? all : round.offered;
  for (std::int64_t slot = 1; slot <= std::min(offered, all); ++slot) {
    SlotAcceptance& counts = slots[static_cast<std::size_t>(slot - 1)];
    ++counts.offered;
    counts.reached += round.drafted >= slot - 1 ? 1 : 0;
    counts.accepted += round.drafted >= slot ? 1 : 0;
  }
}

}  // namespace

double SlotAcceptance::marginal() const { return ratio(static_cast<double>(accepted), offered); }
double SlotAcceptance::conditional() const { return ratio(static_cast<double>(accepted), reached); }

AcceptanceStatistics acceptance_statistics(const std::vector<std::vector<DecodeRound>>& prompts,
                                           std::int64_t block_size) {
  AcceptanceStatistics statistics;
  statistics.prompts = static_cast<std::int64_t>(prompts.size());
  statistics.slots.resize(static_cast<std::size_t>(block_size - 1));
  std::vector<std::int64_t> reached(static_cast<std::size_t>(block_size), 0);  // by number of drafted tokens
  std::int64_t prompts_with_rounds = 0;
  double sum_of_means = 0.0;
  std::int64_t drafted = 0;
  for (const std::vector<DecodeRound>& rounds : prompts) {
    for (const DecodeRound& round : rounds) {
      check_round(round, block_size);
      ++reached[static_cast<std::size_t>(round.drafted)];
      drafted += round.drafted;
      count_slots(round, statistics.slots);
    }
    const std::int64_t tokens = emitted_tokens(rounds);
    const auto count = static_cast<std::int64_t>(rounds.size());
    statistics.tokens += tokens;
    statistics.rounds += count;
    prompts_with_rounds += count > 0 ? 1 : 0;
    sum_of_means += ratio(static_cast<double>(tokens), count);
  }
  statistics.tau = ratio(static_cast<double>(statistics.tokens), statistics.rounds);
  statistics.tau_of_prompts = ratio(sum_of_means, prompts_with_rounds);
  statistics.accepted_drafts = ratio(static_cast<double>(drafted), statistics.rounds);
  statistics.slot_acceptance.resize(static_cast<std::size_t>(block_size - 1));
  std::int64_t at_least = 0;
  for (std::int64_t slot = block_size - 1; slot >= 1; --slot) {
    at_least += reached[static_cast<std::size_t>(slot)];
    statistics.slot_acceptance[static_cast<std::size_t>(slot - 1)] =
        ratio(static_cast<double>(at_least), statistics.rounds);
  }
  return statistics;
}

std::vector<std::int64_t> accepted_lengths(const std::vector<DecodeRound>& rounds) {
  std::vector<std::int64_t> lengths;
  lengths.reserve(rounds.size());
  std::transform(rounds.begin(), rounds.end(), std::back_inserter(lengths),
                 [](const DecodeRound& round) { return round.emitted; });
  return lengths;
}

}  // namespace dflash
