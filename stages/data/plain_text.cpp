// SPDX-License-Identifier: Apache-2.0
#include "stages/data/plain_text.h"

#include <algorithm>

#include "framework/core/stage_check.h"
#include "stages/data/utf8.h"

namespace dflash {

namespace {

constexpr std::string_view kWhiteSpace = " \t\r\n";

std::size_t skip_closing_quotes(std::string_view text, std::size_t at) {
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view quote : {"\"", "'", ")", "\u201D", "\u2019"}) {
      if (text.substr(at).starts_with(quote)) {
        at += quote.size();
        found = true;
      }
    }
  }
  return at;
}

}  // namespace

std::optional<SplitText> split_first_sentence(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(kWhiteSpace), text.size());
  for (std::size_t mark = text.find_first_of(".?!", begin); mark != std::string_view::npos;
       mark = text.find_first_of(".?!", mark + 1)) {
    const std::size_t end = skip_closing_quotes(text, mark + 1);
    if (end < text.size() && kWhiteSpace.find(text[end]) == std::string_view::npos) {
      continue;
    }
    const std::size_t answer = text.find_first_not_of(kWhiteSpace, end);
    if (answer == std::string_view::npos) {
      return std::nullopt;
    }
    return SplitText{.question = text.substr(begin, end - begin), .answer = text.substr(answer)};
  }
  return std::nullopt;
}

void PlainText::check(StageCheck& check) const {
  if (loss_on() == LossOn::kAssistant && as_chat() == AsChat::kNo) {
    check.add(loss_on, "found \"assistant\", allowed: all; assistant needs as_chat to be first_sentence");
    return;  // such rows have no mask
  }
  RowSource::check(check);
}

std::optional<std::string> PlainText::problem_of(const std::string& row, const TextCodec& /*codec*/) const {
  if (const std::optional<std::size_t> at = find_invalid_utf8(row)) {
    return fmt::format("not UTF-8 at byte {} of the paragraph", *at);
  }
  if (as_chat() == AsChat::kFirstSentence && !split_first_sentence(row)) {
    return "there is no second sentence to answer with";
  }
  return std::nullopt;
}

std::string PlainText::question_of(const std::string& row) const {
  return as_chat() == AsChat::kFirstSentence ? std::string{split_first_sentence(row).value().question} : row;
}

Document PlainText::document_of(const std::string& row, const TextCodec& codec) const {
  Document document;
  if (as_chat() == AsChat::kFirstSentence) {
    const SplitText parts = split_first_sentence(row).value();
    const ChatRow chat{.messages = {{.role = "user", .content = std::string{parts.question}},
                                    {.role = "assistant", .content = std::string{parts.answer}}},
                       .tag = {}};
    document = chat_document(chat, codec, max_length(), LossTurns::kAll);
  } else {
    document.ids = codec.tokenizer.encode(row);
    document.ids.resize(std::min(document.ids.size(), static_cast<std::size_t>(max_length())));
  }
  if (loss_on() == LossOn::kAll) {
    document.loss_mask.assign(document.ids.size(), 1);
  }
  return document;
}

}  // namespace dflash
