// SPDX-License-Identifier: Apache-2.0
#include "stages/data/chat_rows.h"

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/json_syntax.h"
#include "stages/data/utf8.h"

namespace dflash {

namespace {

std::vector<ChatMessage> read_turns(const Json& content, RowUse use) {
  const bool aliased = !content.contains("messages");
  const auto turns = content.find(aliased ? "conversations" : "messages");
  DFLASH_USER_CHECK(turns != content.end(),
                    "the row has neither 'messages' nor 'conversations', nor 'text' with 'spans'");
  DFLASH_USER_CHECK(turns->is_array(), "'{}' is {}, not a list", turns.key(), turns->type_name());
  const auto tools = content.find("tools");
  DFLASH_USER_CHECK(tools == content.end() || tools->empty(),
                    "'tools' is not supported: templates describe them in the system turn; give rendered text instead");
  std::vector<ChatMessage> messages;
  for (const Json& turn : *turns) {
    messages.push_back(read_turn(turn, messages.size() + 1));
  }
  check_turns(messages, use);
  return messages;
}

/// The byte offsets of the characters of a text (UTF-8), and its size.
std::vector<std::size_t> character_offsets(std::string_view text) {
  std::vector<std::size_t> offsets;
  for (std::size_t at = 0; at < text.size(); at += utf8_step(text.substr(at)).length) {
    offsets.push_back(at);
  }
  offsets.push_back(text.size());
  return offsets;
}

RenderedChat read_rendered(const Json& content) {
  const Json& text = content.at("text");
  const Json& spans = content.at("spans");
  DFLASH_USER_CHECK(text.is_string(), "'text' is {}, not a string", text.type_name());
  DFLASH_USER_CHECK(spans.is_array() && !spans.empty(), "'spans' is {}; allowed: [[begin, end], ...]",
                    shown_value(spans));
  RenderedChat chat{.text = text.get<std::string>(), .answers = {}};
  const std::vector<std::size_t> offsets = character_offsets(chat.text);
  std::uint64_t done = 0;
  for (const Json& span : spans) {
    const bool is_pair =
        span.is_array() && span.size() == 2 && span[0].is_number_unsigned() && span[1].is_number_unsigned();
    DFLASH_USER_CHECK(is_pair, "span {} is {}; allowed: [begin, end]", chat.answers.size() + 1, shown_value(span));
    const auto begin = span[0].get<std::uint64_t>();
    const auto end = span[1].get<std::uint64_t>();
    DFLASH_USER_CHECK(done <= begin && begin < end && end < offsets.size(),
                      "span {} is {}; allowed: begin from {} (where the one before it ends), end beyond it and at most "
                      "{}, the text's length in characters",
                      chat.answers.size() + 1, shown_value(span), done, offsets.size() - 1);
    chat.answers.push_back({.begin = offsets[begin], .end = offsets[end]});
    done = end;
  }
  return chat;
}

ChatRow read_row(const Json& content, RowUse use) {
  DFLASH_USER_CHECK(content.is_object(), "the row is {}, not an object", content.type_name());
  ChatRow row;
  if (content.contains("text") && content.contains("spans")) {
    DFLASH_USER_CHECK(use == RowUse::kTrain, "rendered text is no conversation, so there is nothing to answer");
    row.rendered = read_rendered(content);
  } else {
    row.messages = read_turns(content, use);
  }
  if (const auto tag = content.find("tag"); tag != content.end()) {
    DFLASH_USER_CHECK(tag->is_string(), "'tag' is {}, not a string", tag->type_name());
    row.tag = tag->get<std::string>();
  }
  return row;
}

}  // namespace

std::variant<ChatRow, BadRow> parse_chat_row(std::string_view line, RowUse use) {
  try {
    const Json row = Json::parse(line);
    if (const auto mistake = overlooked_mistake(line)) {
      return BadRow{fmt::format("column {}: {}", mistake->column, mistake->what)};
    }
    return read_row(row, use);
  } catch (const UserError& error) {
    return BadRow{error.what()};
  } catch (const Json::exception& error) {
    const SyntaxMistake mistake = syntax_mistake(line, error);
    return BadRow{fmt::format("not JSON at column {}: {}", mistake.column, mistake.what)};
  }
}

std::string question_of(const ChatRow& row) {
  if (row.rendered) {
    return row.rendered->text.substr(0, row.rendered->answers.back().begin);
  }
  const bool answered = !row.messages.empty() && row.messages.back().role == "assistant";
  Json asked = Json::array();
  for (std::size_t i = 0; i + (answered ? 1 : 0) < row.messages.size(); ++i) {
    asked.push_back(turn_json(row.messages[i]));
  }
  return asked.dump();
}

}  // namespace dflash
