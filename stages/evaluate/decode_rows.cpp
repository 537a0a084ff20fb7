// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/decode_rows.h"

#include <algorithm>
#include <numeric>

#include <ATen/ATen.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

const DecodedAnswer& at_index(const std::vector<DecodedAnswer>& answers, std::int64_t index) {
  return answers[static_cast<std::size_t>(index)];
}

}  // namespace

DecodeRows::DecodeRows(DecodeLimits limits)
    : limits_{std::move(limits)}, active_(limits_.prompt_lengths.size()), answers_(limits_.prompt_lengths.size()) {
  std::iota(active_.begin(), active_.end(), 0);
  for (std::size_t prompt = 0; prompt < active_.size(); ++prompt) {
    DFLASH_USER_CHECK(limits_.prompt_lengths[prompt] >= 1, "prompt {} has no tokens", prompt);
    DFLASH_CHECK(limits_.new_tokens[prompt] >= 1, "prompt {} may have {} new tokens", prompt,
                 limits_.new_tokens[prompt]);
  }
}

std::vector<std::int64_t> DecodeRows::last_tokens() const {
  std::vector<std::int64_t> tokens;
  for (const std::int64_t prompt : active_) {
    tokens.push_back(at_index(answers_, prompt).tokens.back());
  }
  return tokens;
}

std::vector<std::int64_t> DecodeRows::next_positions() const {
  std::vector<std::int64_t> positions;
  for (const std::int64_t prompt : active_) {
    const auto answered = static_cast<std::int64_t>(at_index(answers_, prompt).tokens.size());
    positions.push_back(limits_.prompt_lengths[static_cast<std::size_t>(prompt)] + answered);
  }
  return positions;
}

std::vector<std::int64_t> DecodeRows::last_positions() const {
  std::vector<std::int64_t> positions = next_positions();
  std::for_each(positions.begin(), positions.end(), [](std::int64_t& position) { --position; });
  return positions;
}

std::int64_t DecodeRows::room(std::int64_t prompt) const {
  return limits_.new_tokens[static_cast<std::size_t>(prompt)] -
         static_cast<std::int64_t>(at_index(answers_, prompt).tokens.size());
}

std::vector<std::int64_t> DecodeRows::block_sizes() const {
  std::vector<std::int64_t> sizes;
  for (const std::int64_t prompt : active_) {
    sizes.push_back(std::min(limits_.block_size, room(prompt) + 1));
  }
  return sizes;
}

bool DecodeRows::stops(std::int64_t token) const {
  return std::find(limits_.stop_ids.begin(), limits_.stop_ids.end(), token) != limits_.stop_ids.end();
}

void DecodeRows::add_tokens(const at::Tensor& tokens) {
  const at::Tensor flat = tokens.contiguous();
  DFLASH_CHECK(flat.numel() == static_cast<std::int64_t>(active_.size()), "{} tokens for {} rows", flat.numel(),
               active_.size());
  const auto* token = flat.data_ptr<std::int64_t>();
  for (const std::int64_t prompt : active_) {
    answers_[static_cast<std::size_t>(prompt)].tokens.push_back(*token++);
  }
}

DecodeRound DecodeRows::accept(std::int64_t prompt, const std::int64_t* drafts, const std::int64_t* chosen,
                               std::int64_t size) {
  const std::int64_t accepted = std::mismatch(drafts, drafts + size - 1, chosen).first - drafts;
  std::int64_t emitted = std::min(accepted + 1, room(prompt));
  const auto* stop = std::find_if(chosen, chosen + emitted, [this](std::int64_t token) { return stops(token); });
  emitted = std::min(emitted, stop - chosen + 1);
  std::vector<std::int64_t>& tokens = answers_[static_cast<std::size_t>(prompt)].tokens;
  tokens.insert(tokens.end(), chosen, chosen + emitted);
  const bool stopped = stops(tokens.back());
  return {.emitted = emitted,
          .drafted = std::min(accepted, emitted),
          .offered = stopped ? std::min(size - 1, emitted) : size - 1};
}

std::vector<std::int64_t> DecodeRows::add_rounds(const at::Tensor& drafts, const at::Tensor& chosen,
                                                 const std::vector<std::int64_t>& sizes) {
  const at::Tensor proposed = drafts.to(at::kCPU).contiguous();
  const at::Tensor decided = chosen.to(at::kCPU).contiguous();
  std::vector<std::int64_t> emitted;
  for (std::size_t row = 0; row < active_.size(); ++row) {
    const auto offset = static_cast<std::int64_t>(row);
    const DecodeRound round = accept(active_[row], proposed.data_ptr<std::int64_t>() + offset * proposed.size(1),
                                     decided.data_ptr<std::int64_t>() + offset * decided.size(1), sizes[row]);
    answers_[static_cast<std::size_t>(active_[row])].rounds.push_back(round);
    emitted.push_back(round.emitted);
  }
  return emitted;
}

std::vector<std::int64_t> DecodeRows::drop_finished() {
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> prompts;
  for (std::size_t row = 0; row < active_.size(); ++row) {
    const std::int64_t prompt = active_[row];
    if (room(prompt) > 0 && !stops(at_index(answers_, prompt).tokens.back())) {
      rows.push_back(static_cast<std::int64_t>(row));
      prompts.push_back(prompt);
    }
  }
  active_ = std::move(prompts);
  return rows;
}

}  // namespace dflash
