// SPDX-License-Identifier: Apache-2.0
#include "stages/generate/chat_json.h"

#include <nlohmann/json.hpp>

namespace dflash {

Json chat_row_json(const std::vector<ChatMessage>& messages, const std::string& tag) {
  Json row{{"messages", Json::array()}};
  for (const ChatMessage& message : messages) {
    Json json{{"role", message.role}, {"content", message.content}};
    if (!message.loss) {
      json["loss"] = false;
    }
    row["messages"].push_back(std::move(json));
  }
  if (!tag.empty()) {
    row["tag"] = tag;
  }
  return row;
}

std::vector<ChatMessage> chat_messages(const Json& row) {
  std::vector<ChatMessage> messages;
  for (const Json& json : row.at("messages")) {
    messages.push_back({.role = json.at("role"), .content = json.at("content"), .loss = json.value("loss", true)});
  }
  return messages;
}

}  // namespace dflash
