// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stages/data/token_span.h"

namespace dflash {

/// A call of a function that an assistant's turn makes.
struct ToolCall {
  std::string name;
  std::string arguments;   // JSON as Python's `json.dumps` writes it, or what stood in a string
  bool in_string = false;  // the row gave them as a string
};

/// One turn of a conversation.
struct ChatMessage {
  std::string role;  // "system", "user", "assistant" or "tool"
  std::string content;
  bool loss = true;                        // an assistant's turn is trained on
  std::optional<std::string> reasoning{};  // what an assistant thought, where it stands apart from the content
  std::vector<ToolCall> tool_calls{};      // an assistant's
};

/// A conversation as text, and which bytes the model would have written.
struct RenderedChat {
  std::string text;
  std::vector<TokenSpan> answers;  // one per message: what an assistant writes, its end-of-turn token last; else empty
};

/// Whether a target that can think before it answers is asked to; `kUnset` says nothing, as a caller who leaves
/// `enable_thinking` away.
enum class Thinking { kUnset, kOn, kOff };

constexpr std::string_view thinking_word(Thinking thinking) {
  return thinking == Thinking::kOn ? "on" : thinking == Thinking::kOff ? "off" : "unset";
}

}  // namespace dflash
