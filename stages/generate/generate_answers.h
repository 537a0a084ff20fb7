// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "framework/core/stage.h"
#include "stages/data/document.h"
#include "stages/data/text_codec.h"
#include "stages/generate/json_row.h"
#include "stages/session/models.h"

namespace dflash {

/// Lets the target answer the prompt of each document (what stands before its first supervised token) and writes prompt
/// and answer as a row of chat: the on-policy data a drafter learns from. Greedy, or sampled by (seed, row, position),
/// so that the batch a prompt is in does not matter.
class GenerateAnswers final : public Stage {
 public:
  static StageInfo info() {
    return {
        .type = "generate_answers", .summary = "lets the target answer prompts, many at a time", .uses_device = true};
  }

  Input<Document> documents{*this, "documents", "rows whose prompt is to be answered"};
  Output<JsonRows> rows{*this, "rows", "chats with the target's own answers"};

  Param<std::int64_t> batch{
      *this, "batch", {.value = 64, .min = 1, .unit = "rows", .help = "prompts answered at a time"}};
  Param<std::int64_t> max_new_tokens{
      *this, "max_new_tokens", {.value = 160, .min = 1, .unit = "tokens", .help = "the most that an answer has"}};
  Param<bool> distinct{*this, "distinct", {.value = true, .help = "answer a prompt only once, however often it comes"}};
  Param<double> temperature{*this, "temperature", {.value = 0.0, .min = 0.0, .help = "0: greedy"}};

  void check(StageCheck& check) const override;
  void open(const StageEnv& env) override;
  void fire(Firing& firing) override;
  void drain(Firing& firing) override;

 private:
  struct Pending {
    std::vector<std::int64_t> prompt;
    std::int64_t row_id = 0;
    std::string conversation;
  };
  void answer_pending(Firing& firing);

  Models* models_ = nullptr;
  const TextCodec* codec_ = nullptr;
  std::uint64_t seed_ = 0;
  std::shared_ptr<const TargetWeights> target_;
  std::vector<Pending> pending_;
  std::unordered_set<std::string> seen_;
};

}  // namespace dflash
