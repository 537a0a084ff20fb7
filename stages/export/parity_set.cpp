// SPDX-License-Identifier: Apache-2.0
#include "stages/export/parity_set.h"

#include <algorithm>
#include <utility>

#include <ATen/ATen.h>
#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "framework/core/json_syntax.h"

namespace dflash {
namespace {

/// Passes everything on to a drafter and keeps what it proposes first for each prompt.
class FirstDrafts final : public BatchDrafter {
 public:
  FirstDrafts(BatchDrafter& inner, std::size_t prompts) : drafts(prompts), inner_{inner}, rows_(prompts) {
    for (std::size_t prompt = 0; prompt < prompts; ++prompt) {
      rows_[prompt] = prompt;
    }
  }

  void absorb(const at::Tensor& features, const std::vector<std::int64_t>& counts) override {
    inner_.absorb(features, counts);
  }
  at::Tensor draft(const std::vector<std::int64_t>& anchors, const std::vector<std::int64_t>& sizes) override {
    at::Tensor proposed = inner_.draft(anchors, sizes);
    if (!seen_) {
      const at::Tensor host = proposed.cpu().contiguous();
      for (std::size_t row = 0; row < rows_.size(); ++row) {
        const auto* first = host.data_ptr<std::int64_t>() + static_cast<std::int64_t>(row) * host.size(1);
        drafts[rows_[row]].assign(first, first + sizes[row] - 1);
      }
      seen_ = true;
    }
    return proposed;
  }
  void keep(const std::vector<std::int64_t>& rows) override {
    std::vector<std::size_t> kept;
    std::transform(rows.begin(), rows.end(), std::back_inserter(kept),
                   [this](std::int64_t row) { return rows_[static_cast<std::size_t>(row)]; });
    rows_ = std::move(kept);
    inner_.keep(rows);
  }

  std::vector<std::vector<std::int64_t>> drafts;  // by prompt; empty where no round was drafted

 private:
  BatchDrafter& inner_;
  std::vector<std::size_t> rows_;
  bool seen_ = false;
};

}  // namespace

Json parity_set(const DecodeModels& models, const std::vector<std::vector<std::int64_t>>& prompts,
                const AnswerOptions& options) {
  DFLASH_CHECK(options.choice.temperature == 0.0, "a parity set at temperature {}", options.choice.temperature);
  Json json{{"schema", "dflash-graph/parity/1"},
            {"new_tokens", options.new_tokens},
            {"block_size", options.block_size},
            {"stop_ids", options.stop_ids},
            {"tau", nullptr},
            {"prompts", Json::array()}};
  if (prompts.empty()) {
    return json;
  }
  const std::unique_ptr<BatchTarget> target = models.target(true);
  const std::unique_ptr<BatchDrafter> drafter = models.drafter();
  FirstDrafts recorder(*drafter, prompts.size());
  const DecodedBatch batch = speculative_decode(*target, recorder, prompts, options);
  std::vector<std::vector<DecodeRound>> rounds;
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    const DecodedAnswer& answer = batch.answers[i];
    rounds.push_back(answer.rounds);
    json["prompts"].push_back({{"ids", prompts[i]},
                               {"tokens", answer.tokens},
                               {"accepted", accepted_lengths(answer.rounds)},
                               {"first_draft", recorder.drafts[i]}});
  }
  json["tau"] = acceptance_statistics(rounds, options.block_size).tau;
  return json;
}

ParityInputs parity_inputs(const std::filesystem::path& file) {
  return read_written(parse_or_discard(read_text(file)), file.string(), parity_inputs_of);
}

ParityInputs parity_inputs_of(const Json& parity) {
  ParityInputs inputs;
  inputs.answers.new_tokens = whole_number(parity.at("new_tokens"));
  inputs.answers.block_size = parity.contains("block_size") ? whole_number(parity.at("block_size")) : 0;
  inputs.answers.stop_ids = whole_numbers(parity.at("stop_ids"));
  for (const Json& prompt : parity.at("prompts")) {
    inputs.prompts.push_back(whole_numbers(prompt.at("ids")));
  }
  return inputs;
}

}  // namespace dflash
