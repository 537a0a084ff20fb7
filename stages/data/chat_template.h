// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stages/data/tokenizer.h"

namespace dflash {

/// One turn of a conversation.
struct ChatMessage {
  std::string role;  // "system", "user" or "assistant"
  std::string content;
  bool loss = true;  // an assistant's turn is trained on
};

/// A conversation as text, and which bytes the model would have written.
struct RenderedChat {
  std::string text;
  std::vector<TokenSpan> answers;  // one per message: an assistant's content and end-of-turn token, else empty
};

/// Renders conversations as the target's own template does. Templates are recognised by their text, not interpreted:
/// known is ChatML without a default system turn; any other is refused.
class ChatTemplate {
 public:
  /// Takes the text of a Jinja template. Throws UserError with `place` where it is not a known one.
  ChatTemplate(std::string_view text, const std::string& place);
  /// Takes `chat_template.jinja` of a model folder, else the key `chat_template` of its `tokenizer_config.json`. Throws
  /// UserError where there is neither, or the template is not known.
  static ChatTemplate load(const std::filesystem::path& folder);

  [[nodiscard]] RenderedChat render(std::span<const ChatMessage> messages) const;
  /// Returns the text of the conversation, and the beginning of the answer where it is asked for.
  [[nodiscard]] std::string render_prompt(std::span<const ChatMessage> messages, bool add_generation_prompt) const;
  /// XXH3 (64 bits) of the template's text.
  [[nodiscard]] std::uint64_t hash() const { return hash_; }

 private:
  std::uint64_t hash_ = 0;
};

}  // namespace dflash
