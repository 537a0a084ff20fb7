// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "stages/data/templates/chat_renderer.h"

namespace dflash {

/// Llama 3.1's template: that of Llama 3, but that every conversation begins with a system turn that tells two dates, a
/// turn calls one tool or has a content, and results of tools are JSON.
class Llama31Chat final : public ChatRenderer {
 public:
  explicit Llama31Chat(std::string bos_token) : bos_token_{std::move(bos_token)} {}

  [[nodiscard]] Takes takes() const override { return {.tool_calls = ToolCalls::kOneAlone}; }
  [[nodiscard]] RenderedChat render(std::span<const ChatMessage> messages) const override;
  [[nodiscard]] std::string answer_start() const override;
  [[nodiscard]] std::string_view turn_end() const override;

 private:
  std::string bos_token_;
};

}  // namespace dflash
