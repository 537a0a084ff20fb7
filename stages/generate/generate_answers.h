// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "framework/core/stage.h"
#include "stages/data/document.h"
#include "stages/data/text_codec.h"
#include "stages/generate/dialogue.h"
#include "stages/generate/json_row.h"
#include "stages/session/models.h"

namespace dflash {

/// Lets the target answer chats, many at a time, and writes them with its own answers as rows: the on-policy data a
/// drafter learns from. Greedy, or sampled by (seed, row, position), so that the batch a chat is in does not matter. A
/// chat that would not fit into the target is left out and counted as `too_long`, one with an answer that did not come
/// to its end within `max_new_tokens` as `unfinished`.
class GenerateAnswers final : public Stage {
 public:
  enum class Unfinished { kDrop, kKeep };

  static StageInfo info() {
    return {.type = "generate_answers", .summary = "lets the target answer chats, many at a time", .uses_device = true};
  }

  Input<Document> documents{*this, "documents", "chats whose answers are to be made"};
  Output<JsonRows> rows{*this, "rows", "the chats with the target's own answers"};

  Param<std::int64_t> batch{
      *this, "batch", {.value = 64, .min = 1, .unit = "rows", .help = "chats answered at a time"}};
  Param<std::int64_t> max_new_tokens{
      *this, "max_new_tokens", {.value = 160, .min = 1, .unit = "tokens", .help = "the most that an answer has"}};
  Choice<AnswerTurns> turns{*this,
                            "turns",
                            AnswerTurns::kAll,
                            {{"all", AnswerTurns::kAll}, {"last", AnswerTurns::kLast}},
                            "which answers of a chat are made anew"};
  Choice<Unfinished> unfinished{*this,
                                "unfinished",
                                Unfinished::kDrop,
                                {{"drop", Unfinished::kDrop}, {"keep", Unfinished::kKeep}},
                                "what becomes of a chat with an answer that max_new_tokens cut off"};
  Param<double> temperature{*this, "temperature", {.value = 0.0, .min = 0.0, .help = "0: greedy"}};

  void check(StageCheck& check) const override;
  void open(const StageEnv& env) override;
  void fire(Firing& firing) override;
  void drain(Firing& firing) override;
  void save(Snapshot& snapshot) const override;
  void load(const Snapshot& snapshot) override;

 private:
  struct Chat {
    Dialogue dialogue;
    std::int64_t row_id = 0;
    std::string tag;
    const char* left_out = nullptr;  // as what it is counted where it is not written
  };
  void answer_pending(Firing& firing);
  /// One answer for each chat; chats that do not fit are marked instead. Returns the tokens that were made.
  std::int64_t answer_once(const std::vector<Chat*>& chats);
  [[nodiscard]] std::vector<std::int64_t> prompt_of(const Chat& chat) const;
  /// Adds a chat that is not written, with words for the user.
  void leave_out(const Chat& chat, JsonRows& made) const;

  std::string name_;
  Models* models_ = nullptr;
  const TextCodec* codec_ = nullptr;
  RunLog* log_ = nullptr;
  std::uint64_t seed_ = 0;
  std::shared_ptr<const TargetWeights> target_;
  std::vector<Document> pending_;
};

}  // namespace dflash
