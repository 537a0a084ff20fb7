// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/item.h"
#include "stages/data/chat_message.h"

namespace dflash {

/// One tokenised row of the data.
struct Document {
  std::int64_t row_id = 0;  // the row's place in its file, the same in every epoch; keys the random draws about it
  std::int64_t epoch = 0;
  std::vector<std::int32_t> ids;          // [length]
  std::vector<std::uint8_t> loss_mask;    // [length], 1: supervised
  std::string tag;                        // a group for evaluation; may be empty
  std::vector<ChatMessage> conversation;  // the chat that this is; empty for plain text
};

template <>
struct ItemType<Document> {
  static constexpr std::string_view kName = "document";
  static std::int64_t bytes(const Document& document) {
    std::size_t sum = document.ids.size() * sizeof(std::int32_t) + document.loss_mask.size() + document.tag.size();
    for (const ChatMessage& message : document.conversation) {
      sum += message.content.size() + sizeof(ChatMessage);
    }
    return static_cast<std::int64_t>(sum + sizeof(Document));
  }
  static std::string serialize(const Document& document);
  static Document deserialize(std::string_view bytes, const std::string& device);
};

}  // namespace dflash
