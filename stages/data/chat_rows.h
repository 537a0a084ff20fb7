// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stages/data/chat_template.h"
#include "stages/data/document.h"
#include "stages/data/text_codec.h"

namespace dflash {

/// One conversation of a JSONL file.
struct ChatRow {
  std::vector<ChatMessage> messages;
  std::string tag;
};

/// Why a row cannot be used.
struct BadRow {
  std::string reason;
};

/// Reads one line: `{"messages": [{"role", "content"}]}` or `{"conversations": [{"from", "value"}]}`, with an optional
/// text `tag` and an optional `loss` (true, false, 1, 0) on assistant turns. Roles: system (first only), user or human,
/// assistant or gpt; user and assistant take turns, a user begins, and there is an answer.
std::variant<ChatRow, BadRow> parse_chat_row(std::string_view line);

/// Which assistant turns are trained on.
enum class LossTurns { kAll, kLast };

/// Renders and tokenises a conversation; what is beyond `max_length` tokens is cut off. Supervised are the tokens that
/// lie wholly within an assistant's content or are its end-of-turn token.
Document chat_document(const ChatRow& row, const TextCodec& codec, std::int64_t max_length, LossTurns turns);

/// The messages before the last answer as a JSON list of {role, content}: what a model is asked to answer.
std::string conversation_before_last_answer(const ChatRow& row);

/// Says whether an anchor fits: a supervised token followed by a supervised one.
bool has_anchor(const std::vector<std::uint8_t>& loss_mask);

}  // namespace dflash
