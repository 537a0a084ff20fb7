// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "stages/data/templates/chat_renderer.h"

namespace dflash {

/// Renders conversations as the target's own template does. Templates are recognised by their text, not interpreted. A
/// folder may have none, or one that is not known: then nothing can be rendered, but text that was rendered elsewhere
/// needs no template.
class ChatTemplate {
 public:
  /// Takes the text of a Jinja template, which `place` names in messages, and the text of the token that begins a
  /// text.
  ChatTemplate(std::string_view text, const std::string& place, Thinking thinking = Thinking::kUnset,
               const std::string& bos_token = {});
  /// Takes `chat_template.jinja` of a model folder, else the key `chat_template` of its `tokenizer_config.json`.
  static ChatTemplate load(const std::filesystem::path& folder, Thinking thinking = Thinking::kUnset);

  /// Why no conversation can be rendered; empty where they can.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  /// Whether `thinking` means something to the template.
  [[nodiscard]] bool knows_thinking() const { return renderer_ != nullptr && renderer_->takes().thinking; }
  /// Why a conversation cannot be rendered so that all of it is in the text, or nothing. This and what follows throw
  /// UserError with `refusal` where there is one.
  [[nodiscard]] std::optional<std::string> problem_of(std::span<const ChatMessage> messages) const;
  [[nodiscard]] RenderedChat render(std::span<const ChatMessage> messages) const;
  /// Returns the text of the conversation, and the beginning of the answer where it is asked for.
  [[nodiscard]] std::string render_prompt(std::span<const ChatMessage> messages, bool add_generation_prompt) const;
  /// The token that ends an assistant's turn.
  [[nodiscard]] std::string_view turn_end() const { return renderer().turn_end(); }
  /// What it was asked for.
  [[nodiscard]] Thinking thinking() const { return thinking_; }
  /// XXH3 (64 bits) of the template's text; 0 where there is none.
  [[nodiscard]] std::uint64_t hash() const { return hash_; }

 private:
  explicit ChatTemplate(std::string refusal) : refusal_{std::move(refusal)} {}
  [[nodiscard]] const ChatRenderer& renderer() const;

  Thinking thinking_ = Thinking::kUnset;
  std::uint64_t hash_ = 0;
  std::shared_ptr<const ChatRenderer> renderer_;
  std::string refusal_;
};

}  // namespace dflash
