// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "stages/data/templates/chat_renderer.h"

namespace dflash {

/// Llama 3's template: `<|start_header_id|>role<|end_header_id|>\n\ncontent<|eot_id|>` for each turn, whatever its
/// role, the content without the white space around it, and the token that begins a text before the first.
class Llama3Chat final : public ChatRenderer {
 public:
  explicit Llama3Chat(std::string bos_token) : bos_token_{std::move(bos_token)} {}

  [[nodiscard]] RenderedChat render(std::span<const ChatMessage> messages) const override;
  [[nodiscard]] std::string answer_start() const override;
  [[nodiscard]] std::string_view turn_end() const override;

 private:
  std::string bos_token_;
};

}  // namespace dflash
