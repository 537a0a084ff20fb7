// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "stages/data/chat_message.h"

namespace dflash {

inline constexpr std::string_view kChatMlStart = "<|im_start|>";
inline constexpr std::string_view kChatMlEnd = "<|im_end|>";
inline constexpr std::string_view kChatMlAnswer = "<|im_start|>assistant\n";

/// Grows the text of a conversation turn by turn in ChatML, and notes what the model writes. One call a message (an
/// answer is one from `begin_answer` to `end_answer`).
class ChatMlText {
 public:
  /// A turn that belongs to no message.
  void add_preamble(std::string_view role, std::string_view content);
  void add_turn(std::string_view role, std::string_view content);
  /// `injected` is what the template puts before the model's own words.
  void begin_answer(std::string_view injected = {});
  void add(std::string_view words) { chat_.text += words; }
  void end_answer();
  /// The result of a tool, in a user's turn that it shares with its neighbours: `messages[at]`.
  void add_tool_result(std::span<const ChatMessage> messages, std::size_t at);

  [[nodiscard]] RenderedChat take() { return std::move(chat_); }

 private:
  RenderedChat chat_;
  std::size_t answer_begin_ = 0;
};

}  // namespace dflash
