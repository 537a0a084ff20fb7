// SPDX-License-Identifier: Apache-2.0
#include "stages/data/chat_jsonl.h"

namespace dflash {

std::optional<std::string> ChatJsonl::problem_of(const std::string& row, const TextCodec& codec) const {
  const std::variant<ChatRow, BadRow> read = read_chat_row(row, codec, use());
  const auto* bad = std::get_if<BadRow>(&read);
  return bad != nullptr ? std::optional{bad->reason} : std::nullopt;
}

std::string ChatJsonl::question_of(const std::string& row) const {
  return dflash::question_of(std::get<ChatRow>(parse_chat_row(row, use())));
}

Document ChatJsonl::document_of(const std::string& row, const TextCodec& codec) const {
  return chat_document(std::get<ChatRow>(parse_chat_row(row, use())), codec, max_length(), loss_turns());
}

}  // namespace dflash
