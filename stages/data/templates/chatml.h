// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "stages/data/templates/chat_renderer.h"

namespace dflash {

/// ChatML: `<|im_start|>role\ncontent<|im_end|>\n` for each turn, whatever its role.
class ChatMl final : public ChatRenderer {
 public:
  /// `default_system` is the system turn of conversations that begin with another; empty: none.
  explicit ChatMl(std::string default_system) : default_system_{std::move(default_system)} {}

  [[nodiscard]] RenderedChat render(std::span<const ChatMessage> messages) const override;
  [[nodiscard]] std::string answer_start() const override;
  [[nodiscard]] std::string_view turn_end() const override;

 private:
  std::string default_system_;
};

}  // namespace dflash
