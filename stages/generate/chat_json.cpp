// SPDX-License-Identifier: Apache-2.0
#include "stages/generate/chat_json.h"

#include <nlohmann/json.hpp>

#include "stages/data/chat_turns.h"

namespace dflash {

Json chat_row_json(const std::vector<ChatMessage>& messages, const std::string& tag) {
  Json row{{"messages", Json::array()}};
  for (const ChatMessage& message : messages) {
    row["messages"].push_back(turn_json(message));
  }
  if (!tag.empty()) {
    row["tag"] = tag;
  }
  return row;
}

std::vector<ChatMessage> chat_messages(const Json& row) {
  std::vector<ChatMessage> messages;
  for (const Json& json : row.at("messages")) {
    messages.push_back(read_turn(json, messages.size() + 1));
  }
  return messages;
}

}  // namespace dflash
