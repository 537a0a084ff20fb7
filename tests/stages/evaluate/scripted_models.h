// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include <ATen/ATen.h>

#include "framework/core/counter_random.h"
#include "framework/core/error.h"
#include "stages/evaluate/batch_models.h"

namespace dflash::test {

inline constexpr std::int64_t kScriptVocab = 50;

/// Logits of the scripted target after `history`: any function of the whole history will do.
inline at::Tensor scripted_logits(const std::vector<std::int64_t>& history) {
  std::uint64_t state = 7;
  for (const std::int64_t token : history) {
    state = scatter(state ^ static_cast<std::uint64_t>(token));
  }
  at::Tensor logits = at::empty({kScriptVocab}, at::kFloat);
  auto* values = logits.data_ptr<float>();
  for (std::int64_t token = 0; token < kScriptVocab; ++token) {
    values[token] = static_cast<float>(4.0 * counter_uniform(state, {static_cast<std::uint64_t>(token)}));
  }
  return logits;
}

/// A target without a network. A token's feature is the token itself, so that the drafter can check what it is given.
class ScriptedTarget final : public BatchTarget {
 public:
  TargetReadout prefill(const std::vector<std::vector<std::int64_t>>& prompts) override {
    histories_ = prompts;
    rows_seen.push_back(static_cast<std::int64_t>(prompts.size()));
    std::size_t longest = 0;
    for (const auto& prompt : prompts) {
      longest = std::max(longest, prompt.size());
    }
    const auto rows = static_cast<std::int64_t>(prompts.size());
    TargetReadout readout{at::empty({rows, 1, kScriptVocab}),
                          at::full({rows, static_cast<std::int64_t>(longest), 1}, -1.0)};
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto& prompt = prompts[static_cast<std::size_t>(row)];
      readout.logits[row][0] = scripted_logits(prompt);
      for (std::size_t i = 0; i < prompt.size(); ++i) {
        readout.features[row][static_cast<std::int64_t>(i)][0] = prompt[i];
      }
    }
    return readout;
  }

  TargetReadout extend(const at::Tensor& tokens) override {
    DFLASH_CHECK(tokens.size(0) == static_cast<std::int64_t>(histories_.size()), "rows differ");
    rows_seen.push_back(tokens.size(0));
    TargetReadout readout{at::empty({tokens.size(0), tokens.size(1), kScriptVocab}),
                          tokens.unsqueeze(2).to(at::kFloat)};
    for (std::int64_t row = 0; row < tokens.size(0); ++row) {
      auto& history = histories_[static_cast<std::size_t>(row)];
      for (std::int64_t i = 0; i < tokens.size(1); ++i) {
        history.push_back(tokens[row][i].item<std::int64_t>());
        readout.logits[row][i] = scripted_logits(history);
      }
    }
    return readout;
  }

  void crop(const std::vector<std::int64_t>& lengths) override {
    for (std::size_t row = 0; row < lengths.size(); ++row) {
      DFLASH_CHECK(lengths[row] <= static_cast<std::int64_t>(histories_[row].size()), "crop beyond the cache");
      histories_[row].resize(static_cast<std::size_t>(lengths[row]));
    }
  }
  void keep(const std::vector<std::int64_t>& rows) override {
    std::vector<std::vector<std::int64_t>> kept;
    for (const std::int64_t row : rows) {
      kept.push_back(histories_[static_cast<std::size_t>(row)]);
    }
    histories_ = std::move(kept);
  }

  std::vector<std::int64_t> rows_seen;  // of each pass

 private:
  std::vector<std::vector<std::int64_t>> histories_;
};

/// A drafter that knows the scripted target's greedy choice and is wrong wherever `errs(position)` says so.
class ScriptedDrafter final : public BatchDrafter {
 public:
  explicit ScriptedDrafter(std::function<bool(std::int64_t position)> errs) : errs_{std::move(errs)} {}

  void absorb(const at::Tensor& features, const std::vector<std::int64_t>& counts) override {
    contexts.resize(counts.size());
    for (std::size_t row = 0; row < counts.size(); ++row) {
      for (std::int64_t i = 0; i < counts[row]; ++i) {
        contexts[row].push_back(features[static_cast<std::int64_t>(row)][i][0].item<std::int64_t>());
      }
    }
  }

  at::Tensor draft(const std::vector<std::int64_t>& anchors, const std::vector<std::int64_t>& sizes) override {
    DFLASH_CHECK(anchors.size() == contexts.size(), "rows differ");
    sizes_seen.push_back(sizes);
    const std::int64_t width = *std::max_element(sizes.begin(), sizes.end()) - 1;
    at::Tensor drafts = at::zeros({static_cast<std::int64_t>(anchors.size()), width}, at::kLong);
    for (std::size_t row = 0; row < anchors.size(); ++row) {
      std::vector<std::int64_t> history = contexts[row];
      history.push_back(anchors[row]);
      for (std::int64_t i = 0; i < sizes[row] - 1; ++i) {
        const bool wrong = errs_(static_cast<std::int64_t>(history.size()));
        const std::int64_t right = scripted_logits(history).argmax().item<std::int64_t>();
        history.push_back(wrong ? (right + 1) % kScriptVocab : right);
        drafts[static_cast<std::int64_t>(row)][i] = history.back();
      }
    }
    return drafts;
  }

  void keep(const std::vector<std::int64_t>& rows) override {
    std::vector<std::vector<std::int64_t>> kept;
    for (const std::int64_t row : rows) {
      kept.push_back(contexts[static_cast<std::size_t>(row)]);
    }
    contexts = std::move(kept);
  }

  std::vector<std::vector<std::int64_t>> contexts;
  std::vector<std::vector<std::int64_t>> sizes_seen;

 private:
  std::function<bool(std::int64_t)> errs_;
};

}  // namespace dflash::test
