// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "stages/data/chat_message.h"

namespace dflash {

/// Renders conversations as one family of chat templates does, byte for byte. Never changes after construction.
class ChatRenderer {
 public:
  ChatRenderer() = default;
  ChatRenderer(const ChatRenderer&) = delete;
  ChatRenderer& operator=(const ChatRenderer&) = delete;
  ChatRenderer(ChatRenderer&&) = delete;
  ChatRenderer& operator=(ChatRenderer&&) = delete;
  virtual ~ChatRenderer() = default;

  [[nodiscard]] virtual RenderedChat render(std::span<const ChatMessage> messages) const = 0;
  /// What stands between a conversation and the answer that a model is asked for.
  [[nodiscard]] virtual std::string answer_start() const = 0;
  /// The token that ends an assistant's turn.
  [[nodiscard]] virtual std::string_view turn_end() const = 0;
};

}  // namespace dflash
