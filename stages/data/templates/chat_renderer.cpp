// SPDX-License-Identifier: Apache-2.0
#include "stages/data/templates/chat_renderer.h"

#include <fmt/format.h>

namespace dflash {

std::optional<std::string> ChatRenderer::problem_of(std::span<const ChatMessage> messages) const {
  const Takes taken = takes();
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const ChatMessage& message = messages[i];
    if (!taken.reasoning && message.reasoning && !message.reasoning->empty()) {
      return fmt::format("turn {} has 'reasoning_content', which the target's chat template leaves out", i + 1);
    }
    if (taken.tool_calls == ToolCalls::kNone && !message.tool_calls.empty()) {
      return fmt::format("turn {} has 'tool_calls', which the target's chat template leaves out", i + 1);
    }
    const bool alone = message.tool_calls.size() == 1 && message.content.empty();
    if (taken.tool_calls == ToolCalls::kOneAlone && !message.tool_calls.empty() && !alone) {
      return fmt::format("turn {} has {}; the target's chat template takes one call of a tool and no content beside it",
                         i + 1, message.tool_calls.size() == 1 ? "a call of a tool and content" : "several tool calls");
    }
  }
  return std::nullopt;
}

}  // namespace dflash
