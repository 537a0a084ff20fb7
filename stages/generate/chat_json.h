// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "framework/core/json.h"
#include "stages/data/chat_template.h"

namespace dflash {

/// A chat as a row of a JSONL file, as `chat_jsonl` reads it. An empty tag is left out.
Json chat_row_json(const std::vector<ChatMessage>& messages, const std::string& tag);

/// The messages of such a row, as this program wrote it.
std::vector<ChatMessage> chat_messages(const Json& row);

}  // namespace dflash
