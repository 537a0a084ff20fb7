// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "stages/data/templates/chat_renderer.h"
#include "stages/data/templates/qwen_tool_calls.h"

namespace dflash {

/// The templates of Qwen2.5 and of Qwen3's models that do not think: ChatML with calls of tools, and their results in
/// users' turns.
class Qwen2Chat final : public ChatRenderer {
 public:
  /// `default_system` is the system turn of conversations that begin with another; empty: none.
  Qwen2Chat(std::string default_system, StringArguments string_arguments)
      : default_system_{std::move(default_system)}, string_arguments_{string_arguments} {}

  [[nodiscard]] Takes takes() const override { return {.tool_calls = ToolCalls::kAny}; }
  [[nodiscard]] RenderedChat render(std::span<const ChatMessage> messages) const override;
  [[nodiscard]] std::string answer_start() const override;
  [[nodiscard]] std::string_view turn_end() const override;

 private:
  std::string default_system_;
  StringArguments string_arguments_;
};

}  // namespace dflash
