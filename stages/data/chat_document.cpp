// SPDX-License-Identifier: Apache-2.0
#include "stages/data/chat_document.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace dflash {

namespace {

/// The spans of a rendered row, or of the assistant's turns; empty ones where these are not trained on.
std::vector<TokenSpan> supervised_spans(const ChatRow& row, const RenderedChat& chat, LossTurns turns) {
  std::vector<TokenSpan> spans = row.rendered ? chat.answers : std::vector<TokenSpan>{};
  for (std::size_t i = 0; i < row.messages.size(); ++i) {
    if (row.messages[i].role == "assistant") {
      spans.push_back(row.messages[i].loss ? chat.answers[i] : TokenSpan{});
    }
  }
  if (turns == LossTurns::kLast && spans.size() > 1) {
    spans.erase(spans.begin(), spans.end() - 1);
  }
  return spans;
}

}  // namespace

std::variant<ChatRow, BadRow> read_chat_row(std::string_view line, const TextCodec& codec, RowUse use) {
  std::variant<ChatRow, BadRow> parsed = parse_chat_row(line, use);
  if (const auto* row = std::get_if<ChatRow>(&parsed); row != nullptr && !row->rendered) {
    if (std::optional<std::string> problem = codec.chat.problem_of(row->messages)) {
      return BadRow{std::move(*problem)};
    }
  }
  return parsed;
}

Document chat_document(const ChatRow& row, const TextCodec& codec, std::int64_t max_length, LossTurns turns) {
  const RenderedChat chat = row.rendered ? *row.rendered : codec.chat.render(row.messages);
  std::vector<TokenSpan> tokens;
  Document document;
  document.tag = row.tag;
  document.conversation = row.messages;
  document.ids = codec.tokenizer.encode(chat.text, tokens);
  const std::size_t length = std::min(document.ids.size(), static_cast<std::size_t>(max_length));
  document.ids.resize(length);
  document.loss_mask.assign(length, 0);
  for (const TokenSpan& span : supervised_spans(row, chat, turns)) {
    for (std::size_t i = 0; i < length; ++i) {
      document.loss_mask[i] |= static_cast<std::uint8_t>(tokens[i].begin >= span.begin && tokens[i].end <= span.end);
    }
  }
  return document;
}

bool has_anchor(const std::vector<std::uint8_t>& loss_mask) {
  return std::adjacent_find(loss_mask.begin(), loss_mask.end(), [](std::uint8_t left, std::uint8_t right) {
           return left == 1 && right == 1;
         }) != loss_mask.end();
}

}  // namespace dflash
