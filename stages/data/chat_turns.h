// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "framework/core/json.h"
#include "stages/data/chat_message.h"

namespace dflash {

/// Reads one turn of a row, the `number`th, 1-based:
///  - `role` or `from`: system, developer; user, human; assistant, gpt, chatgpt, bard, bing, model; tool, function,
///    observation, ipython;
///  - `content` or `value`: a string; null where an assistant calls tools;
///  - `loss` (true, false, 1, 0): whether an assistant's turn is trained on;
///  - `reasoning_content` or `reasoning` of an assistant, `tool_calls` of an assistant: [{"name", "arguments"}], each
///    alone or in a `function`.
/// Throws UserError that says what is wrong.
ChatMessage read_turn(const Json& turn, std::size_t number);

/// What rows are for.
enum class RowUse {
  kTrain,     // each has an answer to learn from
  kGenerate,  // answers will be made: a row may end with the user's turn
};

/// Throws UserError unless system comes first if at all, then the user, then assistant and user by turns, with results
/// of tools only behind a turn of the assistant; and unless there is an answer, or only a question to make one for.
void check_turns(std::span<const ChatMessage> messages, RowUse use);

/// The turn as `read_turn` reads it.
Json turn_json(const ChatMessage& message);

}  // namespace dflash
