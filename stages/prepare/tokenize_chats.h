// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "framework/core/stage.h"
#include "stages/data/chat_document.h"
#include "stages/data/text_codec.h"
#include "stages/prepare/text_lines.h"
#include "stages/prepare/tokenized_rows.h"

namespace dflash {

/// Makes documents of conversations, as `chat_jsonl` does: rendered by the target's template, tokenised, with their
/// loss masks. Rows that cannot be used are told with place and reason; none ends the run here.
class TokenizeChats final : public Transform<TextLines, TokenizedRows> {
 public:
  static StageInfo info() {
    return {.type = "tokenize_chats", .summary = "makes documents of conversations in JSON", .stateless = true};
  }

  Param<std::int64_t> max_length{
      *this,
      "max_length",
      {.value = 2048, .min = 2, .unit = "tokens", .help = "longer documents are cut off on the right"}};
  Choice<LossTurns> loss_turns{*this,
                               "loss_turns",
                               LossTurns::kAll,
                               {{"all", LossTurns::kAll}, {"last", LossTurns::kLast}},
                               "which assistant turns are trained on"};

  TokenizeChats() : Transform{"lines", "rows of chat", "rows", "the documents of those rows"} {}

  void check(StageCheck& check) const override;
  void open(const StageEnv& env) override;
  [[nodiscard]] TokenizedRows transform(TextLines lines, Firing& firing) override;

 private:
  /// What the first rows of a file say: that none can be used, say since the target's chat template is not known.
  static std::optional<std::string> problem_of_file(const std::string& path, const TextCodec& codec);
  void add_row(const TextLines& lines, std::size_t at, TokenizedRows& made) const;

  const TextCodec* codec_ = nullptr;
};

}  // namespace dflash
