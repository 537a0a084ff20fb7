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

/// What rows are for.
enum class RowUse {
  kTrain,     // each has an answer to learn from
  kGenerate,  // answers will be made: a row may end with the user's turn
};

/// Reads one line: `{"messages": [{"role", "content"}]}` or `{"conversations": [{"from", "value"}]}`, with an optional
/// text `tag` and an optional `loss` (true, false, 1, 0) on assistant turns. Roles: system (first only), user or human,
/// assistant or gpt; user and assistant take turns, a user begins, and there is an answer (unless one is to be made).
std::variant<ChatRow, BadRow> parse_chat_row(std::string_view line, RowUse use = RowUse::kTrain);

/// Which assistant turns are trained on.
enum class LossTurns { kAll, kLast };

/// Renders and tokenises a conversation; what is beyond `max_length` tokens is cut off. Supervised are the tokens that
/// lie wholly within an assistant's content or are its end-of-turn token.
Document chat_document(const ChatRow& row, const TextCodec& codec, std::int64_t max_length, LossTurns turns);

/// What a row asks, as a text of its own: all that stands before its last answer. Two rows that ask the same give the
/// same.
std::string question_of(const ChatRow& row);

/// Says whether an anchor fits: a supervised token followed by a supervised one.
bool has_anchor(const std::vector<std::uint8_t>& loss_mask);

}  // namespace dflash
