// SPDX-License-Identifier: Apache-2.0
#include "stages/generate/dialogue.h"

#include <utility>

namespace dflash {

Dialogue::Dialogue(std::vector<ChatMessage> given, AnswerTurns turns) : given_{std::move(given)} {
  if (turns == AnswerTurns::kLast && !given_.empty()) {
    const bool answered = given_.back().role == "assistant";
    first_due_ = given_.size() - (answered ? 1 : 0);
  }
}

bool Dialogue::is_due(std::size_t turn) const {
  const bool for_tool = turn + 1 < given_.size() && given_[turn + 1].role == "tool";
  return turn >= first_due_ && given_[turn].role == "assistant" && !for_tool;
}

bool Dialogue::next() {
  while (at_ < given_.size()) {
    if (is_due(at_)) {
      ++at_;
      return true;
    }
    made_.push_back(given_[at_++]);
  }
  return !made_.empty() && made_.back().role != "assistant";
}

void Dialogue::answer(std::string text) { made_.push_back({.role = "assistant", .content = std::move(text)}); }

}  // namespace dflash
