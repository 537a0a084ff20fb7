// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stages/data/chat_turns.h"

namespace dflash {

/// One row of a JSONL file: a conversation, or the text of one that was rendered elsewhere.
struct ChatRow {
  std::vector<ChatMessage> messages;
  std::string tag;
  std::optional<RenderedChat> rendered{};  // then there are no messages; `answers` are the row's spans
};

/// Why a row cannot be used.
struct BadRow {
  std::string reason;
};

/// Reads one line, an object with an optional text `tag` and
///  - `messages` or `conversations`: a list of turns, see read_turn and check_turns; or
///  - `text` and `spans`: [[begin, end], ...], the parts of the text that are trained on, in characters (code points,
///  as
///    Python counts), in order, none of them empty, none over another.
std::variant<ChatRow, BadRow> parse_chat_row(std::string_view line, RowUse use = RowUse::kTrain);

/// What a row asks, as a text of its own: all that stands before its last answer. Two rows that ask the same give the
/// same.
std::string question_of(const ChatRow& row);

}  // namespace dflash
