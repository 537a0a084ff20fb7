// SPDX-License-Identifier: Apache-2.0
#include "stages/data/templates/chatml.h"

#include <fmt/format.h>

namespace dflash {

namespace {

constexpr std::string_view kStart = "<|im_start|>";
constexpr std::string_view kEnd = "<|im_end|>";

}  // namespace

RenderedChat ChatMl::render(std::span<const ChatMessage> messages) const {
  RenderedChat chat;
  if (!default_system_.empty() && !messages.empty() && messages[0].role != "system") {
    chat.text = fmt::format("{}system\n{}{}\n", kStart, default_system_, kEnd);
  }
  for (const ChatMessage& message : messages) {
    chat.text += fmt::format("{}{}\n", kStart, message.role);
    const std::size_t begin = chat.text.size();
    chat.text += fmt::format("{}{}", message.content, kEnd);
    const std::size_t end = message.role == "assistant" ? chat.text.size() : begin;
    chat.answers.push_back({.begin = begin, .end = end});
    chat.text += '\n';
  }
  return chat;
}

std::string ChatMl::answer_start() const { return fmt::format("{}assistant\n", kStart); }

std::string_view ChatMl::turn_end() const { return kEnd; }

}  // namespace dflash
