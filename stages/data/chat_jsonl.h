// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "stages/data/row_source.h"

namespace dflash {

/// Conversations from a JSONL file, rendered by the target's chat template; see parse_chat_row and chat_document. Rows
/// of which the template would leave something out are rejected.
class ChatJsonl final : public RowSource {
 public:
  static StageInfo info() { return {.type = "chat_jsonl", .summary = "conversations from a JSONL file, as documents"}; }

  Choice<LossTurns> loss_turns{*this,
                               "loss_turns",
                               LossTurns::kAll,
                               {{"all", LossTurns::kAll}, {"last", LossTurns::kLast}},
                               "which assistant turns are trained on"};
  Choice<RowUse> use{*this,
                     "use",
                     RowUse::kTrain,
                     {{"train", RowUse::kTrain}, {"generate", RowUse::kGenerate}},
                     "generate: answers will be made, so a row may end with the user's turn"};

  ChatJsonl() : RowSource{RowUnit::kLine} {}

 protected:
  [[nodiscard]] std::optional<std::string> problem_of(const std::string& row, const TextCodec& codec) const override;
  [[nodiscard]] std::string question_of(const std::string& row) const override;
  [[nodiscard]] bool needs_anchors() const override { return use() == RowUse::kTrain; }
  [[nodiscard]] Document document_of(const std::string& row, const TextCodec& codec) const override;
};

}  // namespace dflash
