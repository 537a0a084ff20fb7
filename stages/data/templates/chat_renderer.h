// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "stages/data/chat_message.h"

namespace dflash {

/// Renders conversations as one family of chat templates does, byte for byte. Never changes after construction.
class ChatRenderer {
 public:
  enum class ToolCalls {
    kNone,
    kOneAlone,  // one a turn, and then no content
    kAny,
  };
  /// What a template writes of a conversation beside roles and contents. Of the rest it would say nothing.
  struct Takes {
    bool reasoning = false;
    ToolCalls tool_calls = ToolCalls::kNone;
    bool thinking = false;  // knows `enable_thinking`
  };

  ChatRenderer() = default;
  ChatRenderer(const ChatRenderer&) = delete;
  ChatRenderer& operator=(const ChatRenderer&) = delete;
  ChatRenderer(ChatRenderer&&) = delete;
  ChatRenderer& operator=(ChatRenderer&&) = delete;
  virtual ~ChatRenderer() = default;

  [[nodiscard]] virtual Takes takes() const { return {}; }
  /// Names a turn of which the text would leave something out, or nothing.
  [[nodiscard]] std::optional<std::string> problem_of(std::span<const ChatMessage> messages) const;
  [[nodiscard]] virtual RenderedChat render(std::span<const ChatMessage> messages) const = 0;
  /// What stands between a conversation and the answer that a model is asked for.
  [[nodiscard]] virtual std::string answer_start() const = 0;
  /// The token that ends an assistant's turn.
  [[nodiscard]] virtual std::string_view turn_end() const = 0;
};

}  // namespace dflash
