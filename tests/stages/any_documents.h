// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stages/data/document.h"
#include "tests/stages/item_bytes.h"

namespace dflash {

/// Any bytes in all texts, whatever a tokenizer would say.
inline Document any_document() {
  Document document;
  document.row_id = *rc::gen::arbitrary<std::int64_t>();
  document.epoch = *rc::gen::arbitrary<std::int64_t>();
  document.ids = *rc::gen::arbitrary<std::vector<std::int32_t>>();
  document.loss_mask =
      *rc::gen::container<std::vector<std::uint8_t>>(document.ids.size(), rc::gen::arbitrary<std::uint8_t>());
  document.tag = any_text();
  for (std::int64_t turns = up_to(3); turns > 0; --turns) {
    ChatMessage& message = document.conversation.emplace_back();
    message.role = any_text();
    message.content = any_text();
    message.loss = up_to(1) == 1;
    if (up_to(1) == 1) {
      message.reasoning = any_text();
    }
    for (std::int64_t calls = up_to(2); calls > 0; --calls) {
      message.tool_calls.push_back({.name = any_text(), .arguments = any_text(), .in_string = up_to(1) == 1});
    }
  }
  return document;
}

}  // namespace dflash
