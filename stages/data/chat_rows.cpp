// SPDX-License-Identifier: Apache-2.0
#include "stages/data/chat_rows.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/json_syntax.h"

namespace dflash {

namespace {

using nlohmann::json;

/// The alias where the turn has it and not the key itself.
const char* key_in(const json& turn, const char* key, const char* alias) {
  return turn.contains(alias) && !turn.contains(key) ? alias : key;
}

std::string text_of(const json& object, const char* key, std::size_t turn) {
  const auto found = object.find(key);
  DFLASH_USER_CHECK(found != object.end(), "turn {} has no '{}'", turn, key);
  DFLASH_USER_CHECK(found->is_string(), "'{}' of turn {} is {}, not a string", key, turn, found->type_name());
  return found->get<std::string>();
}

std::string known_role(const std::string& name, std::size_t turn) {
  static const std::map<std::string, std::string> roles{
      {"system", "system"}, {"user", "user"}, {"human", "user"}, {"assistant", "assistant"}, {"gpt", "assistant"}};
  const auto found = roles.find(name);
  DFLASH_USER_CHECK(found != roles.end(),
                    "role '{}' of turn {} is not supported; allowed: system, user, human, assistant, gpt", name, turn);
  return found->second;
}

bool loss_switch(const json& object, std::size_t turn) {
  const auto found = object.find("loss");
  if (found == object.end()) {
    return true;
  }
  const bool is_switch = found->is_boolean() || *found == 0 || *found == 1;
  DFLASH_USER_CHECK(is_switch, "'loss' of turn {} is {}; allowed: true, false, 1, 0", turn, shown_value(*found));
  return found->is_boolean() ? found->get<bool>() : *found == 1;
}

void check_order(const std::vector<ChatMessage>& messages, RowUse use) {
  DFLASH_USER_CHECK(!messages.empty(), "the conversation is empty");
  const std::size_t first = messages[0].role == "system" ? 1 : 0;
  for (std::size_t i = first; i < messages.size(); ++i) {
    const std::string expected = (i - first) % 2 == 0 ? "user" : "assistant";
    DFLASH_USER_CHECK(messages[i].role == expected, "turn {} is the {}'s where the {}'s is due", i + 1,
                      messages[i].role, expected);
  }
  const std::size_t least = use == RowUse::kTrain ? 2 : 1;
  DFLASH_USER_CHECK(messages.size() >= first + least, "there is no {}'s turn", least == 2 ? "assistant" : "user");
}

ChatRow read_row(const json& content, RowUse use) {
  DFLASH_USER_CHECK(content.is_object(), "the row is {}, not an object", content.type_name());
  const bool aliased = !content.contains("messages");
  const auto turns = content.find(aliased ? "conversations" : "messages");
  DFLASH_USER_CHECK(turns != content.end(), "the row has neither 'messages' nor 'conversations'");
  DFLASH_USER_CHECK(turns->is_array(), "'{}' is {}, not a list", turns.key(), turns->type_name());
  ChatRow row;
  for (const json& turn : *turns) {
    const std::size_t number = row.messages.size() + 1;
    DFLASH_USER_CHECK(turn.is_object(), "turn {} is {}, not an object", number, turn.type_name());
    row.messages.push_back({.role = known_role(text_of(turn, key_in(turn, "role", "from"), number), number),
                            .content = text_of(turn, key_in(turn, "content", "value"), number),
                            .loss = loss_switch(turn, number)});
  }
  check_order(row.messages, use);
  if (const auto tag = content.find("tag"); tag != content.end()) {
    DFLASH_USER_CHECK(tag->is_string(), "'tag' is {}, not a string", tag->type_name());
    row.tag = tag->get<std::string>();
  }
  return row;
}

std::vector<TokenSpan> supervised_spans(const ChatRow& row, const RenderedChat& chat, LossTurns turns) {
  std::vector<TokenSpan> spans;
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

std::variant<ChatRow, BadRow> parse_chat_row(std::string_view line, RowUse use) {
  try {
    const json row = json::parse(line);
    if (const auto mistake = overlooked_mistake(line)) {
      return BadRow{fmt::format("column {}: {}", mistake->column, mistake->what)};
    }
    return read_row(row, use);
  } catch (const UserError& error) {
    return BadRow{error.what()};
  } catch (const json::exception& error) {
    const SyntaxMistake mistake = syntax_mistake(line, error);
    return BadRow{fmt::format("not JSON at column {}: {}", mistake.column, mistake.what)};
  }
}

std::string question_of(const ChatRow& row) {
  const bool answered = !row.messages.empty() && row.messages.back().role == "assistant";
  json asked = json::array();
  for (std::size_t i = 0; i + (answered ? 1 : 0) < row.messages.size(); ++i) {
    asked.push_back({row.messages[i].role, row.messages[i].content});
  }
  return asked.dump();
}

Document chat_document(const ChatRow& row, const TextCodec& codec, std::int64_t max_length, LossTurns turns) {
  const RenderedChat chat = codec.chat.render(row.messages);
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
