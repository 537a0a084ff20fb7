// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/round_cost.h"

namespace dflash {
namespace {

double milliseconds(double seconds, std::int64_t times) {
  return times == 0 ? 0.0 : 1000.0 * seconds / static_cast<double>(times);
}

/// The mean number of tokens before a round.
double mean_context(const DecodedBatch& drafted, const std::vector<std::vector<std::int64_t>>& prompts) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < drafted.answers.size(); ++i) {
    std::int64_t length = std::ssize(prompts[i]) + 1;
    for (const DecodeRound& round : drafted.answers[i].rounds) {
      sum += length;
      length += round.emitted;
    }
  }
  const std::int64_t rounds = drafted.rounds();
  return rounds == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(rounds);
}

}  // namespace

RoundCost round_cost(const DecodedBatch& plain, const DecodedBatch& drafted,
                     const std::vector<std::vector<std::int64_t>>& prompts, double tau) {
  RoundCost cost{.draft_ms = milliseconds(drafted.draft_seconds, drafted.rounds()),
                 .verify_ms = milliseconds(drafted.verify_seconds, drafted.rounds()),
                 .plain_ms = milliseconds(plain.decode_seconds, plain.tokens()),
                 .context = mean_context(drafted, prompts)};
  const double round_ms = cost.draft_ms + cost.verify_ms;
  cost.speedup = round_ms > 0.0 ? cost.plain_ms * tau / round_ms : 0.0;
  return cost;
}

}  // namespace dflash
