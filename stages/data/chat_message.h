// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "stages/data/token_span.h"

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

}  // namespace dflash
