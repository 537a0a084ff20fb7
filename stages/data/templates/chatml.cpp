// SPDX-License-Identifier: Apache-2.0
#include "stages/data/templates/chatml.h"

#include "stages/data/templates/chatml_text.h"

namespace dflash {

RenderedChat ChatMl::render(std::span<const ChatMessage> messages) const {
  ChatMlText text;
  if (!default_system_.empty() && !messages.empty() && messages[0].role != "system") {
    text.add_preamble("system", default_system_);
  }
  for (const ChatMessage& message : messages) {
    if (message.role == "assistant") {
      text.begin_answer();
      text.add(message.content);
      text.end_answer();
    } else {
      text.add_turn(message.role, message.content);
    }
  }
  return text.take();
}

std::string ChatMl::answer_start() const { return std::string{kChatMlAnswer}; }

std::string_view ChatMl::turn_end() const { return kChatMlEnd; }

}  // namespace dflash
