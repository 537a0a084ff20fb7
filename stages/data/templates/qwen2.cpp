// SPDX-License-Identifier: Apache-2.0
#include "stages/data/templates/qwen2.h"

#include "stages/data/templates/chatml_text.h"

namespace dflash {

RenderedChat Qwen2Chat::render(std::span<const ChatMessage> messages) const {
  ChatMlText text;
  if (!default_system_.empty() && (messages.empty() || messages[0].role != "system")) {
    text.add_preamble("system", default_system_);
  }
  for (std::size_t at = 0; at < messages.size(); ++at) {
    const ChatMessage& message = messages[at];
    if (message.role == "assistant") {
      text.begin_answer();
      text.add(message.content);
      text.add(qwen_tool_calls(message, !message.content.empty(), string_arguments_));
      text.end_answer();
    } else if (message.role == "tool") {
      text.add_tool_result(messages, at);
    } else {
      text.add_turn(message.role, message.content);
    }
  }
  return text.take();
}

std::string Qwen2Chat::answer_start() const { return std::string{kChatMlAnswer}; }

std::string_view Qwen2Chat::turn_end() const { return kChatMlEnd; }

}  // namespace dflash
