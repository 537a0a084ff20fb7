// SPDX-License-Identifier: Apache-2.0
#include "stages/data/templates/llama3_1.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stages/data/templates/llama_text.h"

namespace dflash {

namespace {

/// The date is the template's own where the caller gives none, as servers do.
constexpr std::string_view kDates = "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n";

std::string body_of(const ChatMessage& message) {
  if (message.role == "tool") {
    return nlohmann::json(message.content).dump();
  }
  if (message.tool_calls.empty()) {
    return std::string{trimmed(message.content)};
  }
  const ToolCall& call = message.tool_calls.front();
  return fmt::format("{{\"name\": \"{}\", \"parameters\": {}}}", call.name,
                     call.in_string ? nlohmann::json(call.arguments).dump() : call.arguments);
}

}  // namespace

RenderedChat Llama31Chat::render(std::span<const ChatMessage> messages) const {
  RenderedChat chat;
  const bool has_system = !messages.empty() && messages[0].role == "system";
  chat.text = fmt::format("{}{}{}{}{}", bos_token_, llama_header("system"), kDates,
                          has_system ? trimmed(messages[0].content) : std::string_view{}, kLlamaTurnEnd);
  for (const ChatMessage& message : messages) {
    if (has_system && &message == &messages[0]) {
      chat.answers.emplace_back();
      continue;
    }
    chat.text += llama_header(message.role == "tool" ? "ipython" : message.role);
    const std::size_t begin = chat.text.size();
    chat.text += body_of(message);
    chat.text += kLlamaTurnEnd;
    chat.answers.push_back({.begin = begin, .end = message.role == "assistant" ? chat.text.size() : begin});
  }
  return chat;
}

std::string Llama31Chat::answer_start() const { return llama_header("assistant"); }

std::string_view Llama31Chat::turn_end() const { return kLlamaTurnEnd; }

}  // namespace dflash
