// SPDX-License-Identifier: Apache-2.0
#include "stages/data/chat_turns.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/json_syntax.h"
#include "stages/data/python_json.h"

namespace dflash {

namespace {

/// The alias where the turn has it and not the key itself.
const char* key_in(const Json& turn, const char* key, const char* alias) {
  return turn.contains(alias) && !turn.contains(key) ? alias : key;
}

/// The value of a key; null where it is missing.
const Json& value_of(const Json& object, const char* key) {
  static const Json null;
  const auto found = object.find(key);
  return found == object.end() ? null : *found;
}

std::string text_of(const Json& object, const char* key, std::size_t turn) {
  DFLASH_USER_CHECK(object.contains(key), "turn {} has no '{}'", turn, key);
  const Json& value = value_of(object, key);
  DFLASH_USER_CHECK(!value.is_array(),
                    "'{}' of turn {} is array, not a string; no known chat template takes a list of parts", key, turn);
  DFLASH_USER_CHECK(value.is_string(), "'{}' of turn {} is {}, not a string", key, turn, value.type_name());
  return value.get<std::string>();
}

std::string known_role(const std::string& name, std::size_t turn) {
  static const std::map<std::string, std::string, std::less<>> roles{
      {"system", "system"},   {"developer", "system"},   {"user", "user"},        {"human", "user"},
      {"tool", "tool"},       {"function", "tool"},      {"observation", "tool"}, {"ipython", "tool"},
      {"gpt", "assistant"},   {"chatgpt", "assistant"},  {"bard", "assistant"},   {"bing", "assistant"},
      {"model", "assistant"}, {"assistant", "assistant"}};
  const auto found = roles.find(name);
  DFLASH_USER_CHECK(found != roles.end(),
                    "role '{}' of turn {} is not supported; allowed: system, developer, user, human, assistant, gpt, "
                    "chatgpt, bard, bing, model, tool, function, observation, ipython",
                    name, turn);
  return found->second;
}

bool loss_switch(const Json& object, std::size_t turn) {
  const auto found = object.find("loss");
  if (found == object.end()) {
    return true;
  }
  const bool is_switch = found->is_boolean() || *found == 0 || *found == 1;
  DFLASH_USER_CHECK(is_switch, "'loss' of turn {} is {}; allowed: true, false, 1, 0", turn, shown_value(*found));
  return found->is_boolean() ? found->get<bool>() : *found == 1;
}

std::optional<std::string> reasoning_of(const Json& object, std::size_t turn) {
  const char* key = key_in(object, "reasoning_content", "reasoning");
  return value_of(object, key).is_null() ? std::nullopt : std::optional{text_of(object, key, turn)};
}

ToolCall read_call(const Json& entry, std::size_t turn) {
  DFLASH_USER_CHECK(entry.is_object(), "a tool call of turn {} is {}, not an object", turn, entry.type_name());
  const Json& call = entry.contains("function") ? value_of(entry, "function") : entry;
  DFLASH_USER_CHECK(call.is_object(), "'function' of a tool call of turn {} is {}, not an object", turn,
                    call.type_name());
  const Json& name = value_of(call, "name");
  DFLASH_USER_CHECK(name.is_string(), "a tool call of turn {} has no 'name'", turn);
  DFLASH_USER_CHECK(call.contains("arguments"), "a tool call of turn {} has no 'arguments'", turn);
  const Json& arguments = value_of(call, "arguments");
  return {.name = name.get<std::string>(),
          .arguments = arguments.is_string() ? arguments.get<std::string>() : python_json(arguments),
          .in_string = arguments.is_string()};
}

std::vector<ToolCall> tool_calls_of(const Json& object, std::size_t turn) {
  const Json& entries = value_of(object, "tool_calls");
  DFLASH_USER_CHECK(entries.is_null() || entries.is_array(), "'tool_calls' of turn {} is {}, not a list", turn,
                    entries.type_name());
  std::vector<ToolCall> calls;
  for (const Json& entry : entries) {
    calls.push_back(read_call(entry, turn));
  }
  return calls;
}

bool may_follow(const std::string& role, const std::string& before) {
  if (role == "user") {
    return before.empty() || before == "assistant";
  }
  if (role == "assistant") {
    return before == "user" || before == "tool";
  }
  return role == "tool" && (before == "assistant" || before == "tool");
}

}  // namespace

ChatMessage read_turn(const Json& turn, std::size_t number) {
  DFLASH_USER_CHECK(turn.is_object(), "turn {} is {}, not an object", number, turn.type_name());
  ChatMessage message;
  message.role = known_role(text_of(turn, key_in(turn, "role", "from"), number), number);
  message.loss = loss_switch(turn, number);
  if (message.role == "assistant") {
    message.reasoning = reasoning_of(turn, number);
    message.tool_calls = tool_calls_of(turn, number);
  }
  const char* content = key_in(turn, "content", "value");
  if (message.tool_calls.empty() || !value_of(turn, content).is_null()) {
    message.content = text_of(turn, content, number);
  }
  return message;
}

void check_turns(std::span<const ChatMessage> messages, RowUse use) {
  DFLASH_USER_CHECK(!messages.empty(), "the conversation is empty");
  std::string before;
  for (std::size_t i = messages[0].role == "system" ? 1 : 0; i < messages.size(); ++i) {
    const std::string& role = messages[i].role;
    DFLASH_USER_CHECK(may_follow(role, before), "turn {} is the {}'s where the {}'s is due", i + 1, role,
                      before.empty() || before == "assistant" ? "user" : "assistant");
    before = role;
  }
  const std::string needed = use == RowUse::kTrain ? "assistant" : "user";
  DFLASH_USER_CHECK(std::ranges::any_of(messages, [&](const ChatMessage& message) { return message.role == needed; }),
                    "there is no {}'s turn", needed);
}

Json turn_json(const ChatMessage& message) {
  Json turn{{"role", message.role}, {"content", message.content}};
  if (!message.loss) {
    turn["loss"] = false;
  }
  if (message.reasoning) {
    turn["reasoning_content"] = *message.reasoning;
  }
  for (const ToolCall& call : message.tool_calls) {
    Json arguments = call.in_string ? Json(call.arguments) : Json::parse(call.arguments);
    turn["tool_calls"].push_back(
        {{"type", "function"}, {"function", {{"name", call.name}, {"arguments", std::move(arguments)}}}});
  }
  return turn;
}

}  // namespace dflash
