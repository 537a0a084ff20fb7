// SPDX-License-Identifier: Apache-2.0
#include "stages/models/generate.h"

#include <algorithm>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "framework/core/error.h"
#include "stages/models/target_cache.h"
#include "stages/models/target_decode.h"

namespace dflash {
namespace {

using TokenLists = std::vector<std::vector<std::int64_t>>;

void check_prompts(const std::vector<Prompt>& prompts, const TargetConfig& config, const GenerateOptions& options) {
  DFLASH_USER_CHECK(options.max_new_tokens >= 1, "max_new_tokens is {}, expected at least 1", options.max_new_tokens);
  DFLASH_USER_CHECK(options.sampling.temperature >= 0.0, "temperature is {}, expected at least 0",
                    options.sampling.temperature);
  for (const Prompt& prompt : prompts) {
    DFLASH_USER_CHECK(!prompt.ids.empty(), "prompt {} is empty", prompt.row_id);
    const auto bad =
        std::ranges::find_if(prompt.ids, [&](std::int64_t id) { return id < 0 || id >= config.vocab_size; });
    DFLASH_USER_CHECK(bad == prompt.ids.end(), "prompt {} has token id {}, allowed 0 to {}", prompt.row_id, *bad,
                      config.vocab_size - 1);
    const auto length = static_cast<std::int64_t>(prompt.ids.size()) + options.max_new_tokens;
    DFLASH_USER_CHECK(length <= config.max_position_embeddings,
                      "prompt {}: {} tokens with max_new_tokens {} exceed the target's max_position_embeddings {}",
                      prompt.row_id, prompt.ids.size(), options.max_new_tokens, config.max_position_embeddings);
  }
}

/// The prompts and what was generated for them; which rows of the batch are which, and which of them have ended.
class Continuation {
 public:
  Continuation(const std::vector<Prompt>& prompts, const GenerateOptions& options)
      : prompts_(prompts), options_(options), tokens_(prompts.size()), ended_(prompts.size(), false) {
    for (std::size_t row = 0; row < prompts.size(); ++row) {
      batch_.push_back(row);
    }
  }

  /// Where the next token of each batch row stands.
  [[nodiscard]] std::vector<TokenPlace> places() const {
    std::vector<TokenPlace> places;
    for (const std::size_t row : batch_) {
      const std::size_t length = prompts_[row].ids.size() + tokens_[row].size();
      places.push_back({.row_id = prompts_[row].row_id, .position = static_cast<std::int64_t>(length)});
    }
    return places;
  }

  /// Takes one token ([batch], on the host) for each batch row that has not ended.
  void take(const at::Tensor& chosen) {
    const auto* token = chosen.const_data_ptr<std::int64_t>();
    for (const std::size_t row : batch_) {
      const std::int64_t next = *token++;
      if (!ended_[row]) {
        tokens_[row].push_back(next);
        ended_[row] = static_cast<std::int64_t>(tokens_[row].size()) == options_.max_new_tokens ||
                      std::ranges::count(options_.stop_ids, next) > 0;
      }
    }
  }

  /// The batch rows that have not ended.
  [[nodiscard]] std::vector<std::int64_t> open_rows() const {
    std::vector<std::int64_t> rows;
    for (std::size_t at = 0; at < batch_.size(); ++at) {
      if (!ended_[batch_[at]]) {
        rows.push_back(static_cast<std::int64_t>(at));
      }
    }
    return rows;
  }

  void keep_rows(const std::vector<std::int64_t>& rows) {
    std::vector<std::size_t> kept;
    kept.reserve(rows.size());
    for (const std::int64_t row : rows) {
      kept.push_back(batch_[static_cast<std::size_t>(row)]);
    }
    batch_ = std::move(kept);
  }

  TokenLists finish() { return std::move(tokens_); }

 private:
  const std::vector<Prompt>& prompts_;
  const GenerateOptions& options_;
  TokenLists tokens_;
  std::vector<bool> ended_;
  std::vector<std::size_t> batch_;  // the prompt of each batch row
};

RaggedTokens pad(const std::vector<Prompt>& prompts, at::Device device) {
  TokenLists ids;
  std::ranges::transform(prompts, std::back_inserter(ids), &Prompt::ids);
  return pad_prompts(ids, device);
}

/// Dropping rows copies the cache, so it waits until a quarter of them has ended.
bool worth_dropping(std::int64_t open, std::int64_t batch) { return open * 4 <= batch * 3; }

}  // namespace

TokenLists generate(const TargetWeights& weights, const TargetConfig& config, const std::vector<Prompt>& prompts,
                    const GenerateOptions& options) {
  const at::NoGradGuard no_grad;
  check_prompts(prompts, config, options);
  if (prompts.empty()) {
    return {};
  }
  const RaggedTokens padded = pad(prompts, weights.embedding.device());
  TargetCache cache = make_target_cache(config, padded.ids.size(0), padded.ids.size(1) + options.max_new_tokens,
                                        weights.embedding.options().requires_grad(false));
  Continuation rows(prompts, options);
  const DecodeOptions last_only{.last_logits_only = true};
  DecodeOutput output = target_decode(weights, config, cache, padded.ids, padded.counts, last_only);
  while (true) {
    at::Tensor chosen = sample_tokens(output.logits.squeeze(1), rows.places(), options.sampling);
    rows.take(chosen.cpu());
    const std::vector<std::int64_t> open = rows.open_rows();
    if (open.empty()) {
      return rows.finish();
    }
    if (worth_dropping(static_cast<std::int64_t>(open.size()), cache.batch())) {
      keep(cache, open);
      rows.keep_rows(open);
      chosen = chosen.index_select(0, at::tensor(open, at::kLong).to(chosen.device()));
    }
    const std::vector<std::int64_t> counts(cache.lengths.size(), 1);
    output = target_decode(weights, config, cache, chosen.unsqueeze(1), counts, last_only);
  }
}

}  // namespace dflash
