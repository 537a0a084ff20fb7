// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "stages/data/templates/chat_renderer.h"

namespace dflash {

/// Renders conversations as the target's own template does. Templates are recognised by their text, not interpreted;
/// one that is not known is refused.
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
  /// The token that ends an assistant's turn.
  [[nodiscard]] std::string_view turn_end() const { return renderer_->turn_end(); }
  /// XXH3 (64 bits) of the template's text.
  [[nodiscard]] std::uint64_t hash() const { return hash_; }

 private:
  std::uint64_t hash_ = 0;
  std::shared_ptr<const ChatRenderer> renderer_;
};

}  // namespace dflash
