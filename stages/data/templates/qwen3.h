// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "stages/data/templates/chat_renderer.h"

namespace dflash {

/// Qwen3's template: ChatML with calls of tools and thinking. What was thought before the last question is left out.
/// After it, the last answer always has a think block; an empty one is the template's, not the model's.
class Qwen3Chat final : public ChatRenderer {
 public:
  explicit Qwen3Chat(Thinking thinking) : thinking_{thinking} {}

  [[nodiscard]] Takes takes() const override {
    return {.reasoning = true, .tool_calls = ToolCalls::kAny, .thinking = true};
  }
  [[nodiscard]] RenderedChat render(std::span<const ChatMessage> messages) const override;
  /// With thinking switched off, an empty think block.
  [[nodiscard]] std::string answer_start() const override;
  [[nodiscard]] std::string_view turn_end() const override;

 private:
  Thinking thinking_;
};

}  // namespace dflash
