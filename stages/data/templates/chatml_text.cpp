// SPDX-License-Identifier: Apache-2.0
#include "stages/data/templates/chatml_text.h"

#include <fmt/format.h>

namespace dflash {

void ChatMlText::add_preamble(std::string_view role, std::string_view content) {
  chat_.text += fmt::format("{}{}\n{}{}\n", kChatMlStart, role, content, kChatMlEnd);
}

void ChatMlText::add_turn(std::string_view role, std::string_view content) {
  add_preamble(role, content);
  chat_.answers.emplace_back();
}

void ChatMlText::begin_answer(std::string_view injected) {
  chat_.text += kChatMlAnswer;
  chat_.text += injected;
  answer_begin_ = chat_.text.size();
}

void ChatMlText::end_answer() {
  chat_.text += kChatMlEnd;
  chat_.answers.push_back({.begin = answer_begin_, .end = chat_.text.size()});
  chat_.text += '\n';
}

void ChatMlText::add_tool_result(std::span<const ChatMessage> messages, std::size_t at) {
  if (at == 0 || messages[at - 1].role != "tool") {
    chat_.text += fmt::format("{}user", kChatMlStart);
  }
  chat_.text += fmt::format("\n<tool_response>\n{}\n</tool_response>", messages[at].content);
  if (at + 1 == messages.size() || messages[at + 1].role != "tool") {
    chat_.text += fmt::format("{}\n", kChatMlEnd);
  }
  chat_.answers.emplace_back();
}

}  // namespace dflash
