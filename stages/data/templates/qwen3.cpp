// SPDX-License-Identifier: Apache-2.0
#include "stages/data/templates/qwen3.h"

#include <fmt/format.h>

#include "stages/data/templates/chatml_text.h"
#include "stages/data/templates/qwen_tool_calls.h"

namespace dflash {

namespace {

constexpr std::string_view kThink = "<think>";
constexpr std::string_view kThinkEnd = "</think>";
constexpr std::string_view kEmptyThink = "<think>\n\n</think>\n\n";

std::string_view without_first_breaks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of('\n'), text.size()));
}

std::string_view without_last_breaks(std::string_view text) {
  return text.substr(0, text.find_last_not_of('\n') + 1);  // npos + 1 is 0
}

struct Answer {
  std::string_view reasoning;
  std::string_view content;
};

/// Reasoning stands apart, or in a think block at the beginning of the content.
Answer parts_of(const ChatMessage& message) {
  const std::string_view content = message.content;
  const std::size_t end = content.find(kThinkEnd);
  if (message.reasoning || end == std::string_view::npos) {
    return {.reasoning = message.reasoning ? std::string_view{*message.reasoning} : std::string_view{},
            .content = content};
  }
  std::string_view reasoning = without_last_breaks(content.substr(0, end));
  if (const std::size_t begin = reasoning.rfind(kThink); begin != std::string_view::npos) {
    reasoning.remove_prefix(begin + kThink.size());
  }
  return {.reasoning = without_first_breaks(reasoning),
          .content = without_first_breaks(content.substr(content.rfind(kThinkEnd) + kThinkEnd.size()))};
}

/// Where the last question stands: a user's turn that is not the result of a tool. The last message where none is.
std::size_t last_question(std::span<const ChatMessage> messages) {
  for (std::size_t at = messages.size(); at > 0; --at) {
    const ChatMessage& message = messages[at - 1];
    const std::string_view content = message.content;
    if (message.role == "user" && !(content.starts_with("<tool_response>") && content.ends_with("</tool_response>"))) {
      return at - 1;
    }
  }
  return messages.empty() ? 0 : messages.size() - 1;
}

void add_answer(ChatMlText& text, const ChatMessage& message, bool after_question, bool is_last) {
  const Answer answer = parts_of(message);
  if (after_question && (is_last || !answer.reasoning.empty())) {
    const std::string_view reasoning = without_first_breaks(without_last_breaks(answer.reasoning));
    text.begin_answer(reasoning.empty() ? kEmptyThink : std::string_view{});
    if (!reasoning.empty()) {
      text.add(fmt::format("{}\n{}\n{}\n\n", kThink, reasoning, kThinkEnd));
    }
    text.add(without_first_breaks(answer.content));
  } else {
    text.begin_answer();
    text.add(answer.content);
  }
  text.add(qwen_tool_calls(message, !answer.content.empty(), StringArguments::kAsTheyStand));
  text.end_answer();
}

}  // namespace

RenderedChat Qwen3Chat::render(std::span<const ChatMessage> messages) const {
  ChatMlText text;
  const std::size_t question = last_question(messages);
  for (std::size_t at = 0; at < messages.size(); ++at) {
    const ChatMessage& message = messages[at];
    if (message.role == "assistant") {
      add_answer(text, message, at > question, at + 1 == messages.size());
    } else if (message.role == "tool") {
      text.add_tool_result(messages, at);
    } else {
      text.add_turn(message.role, message.content);
    }
  }
  return text.take();
}

std::string Qwen3Chat::answer_start() const {
  return fmt::format("{}{}", kChatMlAnswer, thinking_ == Thinking::kOff ? kEmptyThink : std::string_view{});
}

std::string_view Qwen3Chat::turn_end() const { return kChatMlEnd; }

}  // namespace dflash
