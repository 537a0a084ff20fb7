// SPDX-License-Identifier: Apache-2.0
#include "stages/data/templates/llama3.h"

#include "stages/data/templates/llama_text.h"

namespace dflash {

RenderedChat Llama3Chat::render(std::span<const ChatMessage> messages) const {
  RenderedChat chat;
  chat.text = messages.empty() ? "" : bos_token_;
  for (const ChatMessage& message : messages) {
    chat.text += llama_header(message.role);
    const std::size_t begin = chat.text.size();
    chat.text += trimmed(message.content);
    chat.text += kLlamaTurnEnd;
    chat.answers.push_back({.begin = begin, .end = message.role == "assistant" ? chat.text.size() : begin});
  }
  return chat;
}

std::string Llama3Chat::answer_start() const { return llama_header("assistant"); }

std::string_view Llama3Chat::turn_end() const { return kLlamaTurnEnd; }

}  // namespace dflash
