// SPDX-License-Identifier: Apache-2.0
#include "stages/data/templates/qwen_tool_calls.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dflash {

std::string qwen_tool_calls(const ChatMessage& message, bool after_text, StringArguments style) {
  std::string text;
  for (const ToolCall& call : message.tool_calls) {
    if (after_text || !text.empty()) {
      text += '\n';
    }
    const bool quoted = call.in_string && style == StringArguments::kQuoted;
    text += fmt::format("<tool_call>\n{{\"name\": \"{}\", \"arguments\": {}}}\n</tool_call>", call.name,
                        quoted ? nlohmann::json(call.arguments).dump() : call.arguments);
  }
  return text;
}

}  // namespace dflash
