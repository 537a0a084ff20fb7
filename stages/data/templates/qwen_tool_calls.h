// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "stages/data/chat_message.h"

namespace dflash {

/// How a template writes arguments that a row gives as a string.
enum class StringArguments {
  kAsTheyStand,  // {"a": 1}
  kQuoted,       // "{\"a\": 1}"
};

/// The `<tool_call>` blocks of an assistant's turn as Qwen's templates write them. `after_text`: the turn's content
/// stands before them.
std::string qwen_tool_calls(const ChatMessage& message, bool after_text, StringArguments style);

}  // namespace dflash
