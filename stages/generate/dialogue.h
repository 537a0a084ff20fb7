// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "stages/data/chat_template.h"

namespace dflash {

/// Which answers of a chat are made anew.
enum class AnswerTurns { kAll, kLast };

/// A chat whose answers are made anew, one after the other, each from the new ones before it.
///
///   Dialogue dialogue{chat, AnswerTurns::kAll};
///   while (dialogue.next()) {
///     dialogue.answer(model(dialogue.messages()));
///   }
class Dialogue {
 public:
  /// An answer that a tool's turn follows is kept: the tool answered that one. A chat may end with the user's turn.
  Dialogue(std::vector<ChatMessage> given, AnswerTurns turns);

  /// Goes on to the next answer that is due; false where none is.
  [[nodiscard]] bool next();
  /// What stands before the answer that is due, or the whole chat once none is.
  [[nodiscard]] const std::vector<ChatMessage>& messages() const { return made_; }
  void answer(std::string text);

 private:
  [[nodiscard]] bool is_due(std::size_t turn) const;

  std::vector<ChatMessage> given_;
  std::vector<ChatMessage> made_;
  std::size_t at_ = 0;
  std::size_t first_due_ = 0;
};

}  // namespace dflash
