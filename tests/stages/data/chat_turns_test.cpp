// SPDX-License-Identifier: Apache-2.0
#include "stages/data/chat_turns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"

namespace dflash {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

ChatMessage turn(const std::string& text) { return read_turn(Json::parse(text), 3); }

class ChatTurnRole : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(ChatTurnRole, IsKnownByTheNamesThatDataSetsUse) {
  EXPECT_EQ(read_turn({{"from", GetParam().first}, {"value", "x"}}, 1).role, GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(All, ChatTurnRole,
                         testing::Values(std::pair{"system", "system"}, std::pair{"developer", "system"},
                                         std::pair{"user", "user"}, std::pair{"human", "user"},
                                         std::pair{"assistant", "assistant"}, std::pair{"gpt", "assistant"},
                                         std::pair{"chatgpt", "assistant"}, std::pair{"bard", "assistant"},
                                         std::pair{"bing", "assistant"}, std::pair{"model", "assistant"},
                                         std::pair{"tool", "tool"}, std::pair{"function", "tool"},
                                         std::pair{"observation", "tool"}, std::pair{"ipython", "tool"}));

TEST(ChatTurn, AnAliasGivesWayToTheKeyItself) {
  const ChatMessage message = turn(R"({"role":"user","from":"gpt","content":"q","value":"v"})");
  EXPECT_EQ(message.role, "user");
  EXPECT_EQ(message.content, "q");
}

TEST(ChatTurn, ReadsWhatAnAssistantThought) {
  EXPECT_EQ(turn(R"({"role":"assistant","content":"a","reasoning_content":"r"})").reasoning, "r");
  EXPECT_EQ(turn(R"({"role":"assistant","content":"a","reasoning":"r"})").reasoning, "r");
  EXPECT_EQ(turn(R"({"role":"assistant","content":"a","reasoning_content":null})").reasoning, std::nullopt);
}

TEST(ChatTurn, ReadsCallsOfToolsWithArgumentsOfEitherKind) {
  const ChatMessage message = turn(R"({"role":"assistant","content":null,"tool_calls":[)"
                                   R"({"type":"function","function":{"name":"f","arguments":{"b":1,"a":2}}},)"
                                   R"({"name":"g","arguments":"{}"}]})");
  EXPECT_EQ(message.content, "");
  ASSERT_EQ(message.tool_calls.size(), 2U);
  EXPECT_EQ(message.tool_calls[0].arguments, R"({"b": 1, "a": 2})");
  EXPECT_FALSE(message.tool_calls[0].in_string);
  EXPECT_EQ(message.tool_calls[1].name, "g");
  EXPECT_TRUE(message.tool_calls[1].in_string);
}

TEST(ChatTurn, IsReadAsItWasWritten) {
  const Json written = Json::parse(R"({"role":"assistant","content":"a","loss":false,"reasoning_content":"r",)"
                                   R"("tool_calls":[{"type":"function","function":{"name":"f","arguments":{"x":1}}},)"
                                   R"({"type":"function","function":{"name":"f","arguments":"{}"}}]})");
  EXPECT_EQ(turn_json(read_turn(written, 1)), written);
  const Json plain = Json::parse(R"({"role":"user","content":"q"})");
  EXPECT_EQ(turn_json(read_turn(plain, 1)), plain);
}

using BadTurn = std::pair<const char*, const char*>;

class ChatTurnReject : public testing::TestWithParam<BadTurn> {};

TEST_P(ChatTurnReject, SaysWhatIsWrong) {
  EXPECT_THAT([] { turn(GetParam().first); }, ThrowsMessage<UserError>(HasSubstr(GetParam().second)));
}

INSTANTIATE_TEST_SUITE_P(
    All, ChatTurnReject,
    testing::Values(
        BadTurn{R"({"role":"user","content":[{"type":"text","text":"x"}]})",
                "'content' of turn 3 is array, not a string; no known chat template takes a list of parts"},
        BadTurn{R"({"role":"assistant","content":null})", "'content' of turn 3 is null"},
        BadTurn{R"({"role":"assistant","content":null,"tool_calls":[]})", "'content' of turn 3 is null"},
        BadTurn{R"({"role":"assistant","content":"a","reasoning_content":7})",
                "'reasoning_content' of turn 3 is number"},
        BadTurn{R"({"role":"assistant","content":"a","tool_calls":{}})",
                "'tool_calls' of turn 3 is object, not a list"},
        BadTurn{R"({"role":"assistant","content":"a","tool_calls":[7]})", "a tool call of turn 3 is number"},
        BadTurn{R"({"role":"assistant","content":"a","tool_calls":[{"function":7}]})", "'function' of a tool call"},
        BadTurn{R"({"role":"assistant","content":"a","tool_calls":[{"name":7}]})", "has no 'name'"},
        BadTurn{R"({"role":"assistant","content":"a","tool_calls":[{"name":"f"}]})", "has no 'arguments'"},
        BadTurn{R"({"role":"assistant","content":"a","tool_calls":[{"name":"f","arguments":1e300}]})",
                "number 1e+300"}));

std::vector<ChatMessage> turns_of(const std::vector<std::string>& roles) {
  std::vector<ChatMessage> turns;
  for (const std::string& role : roles) {
    turns.push_back({.role = role, .content = "x"});
  }
  return turns;
}

TEST(ChatTurns, ResultsOfToolsStandBehindAnAssistantsTurn) {
  EXPECT_NO_THROW(
      check_turns(turns_of({"system", "user", "assistant", "tool", "tool", "assistant", "user"}), RowUse::kTrain));
  EXPECT_THAT([] { check_turns(turns_of({"user", "tool", "assistant"}), RowUse::kTrain); },
              ThrowsMessage<UserError>(HasSubstr("turn 2 is the tool's where the assistant's is due")));
  EXPECT_THAT([] { check_turns(turns_of({"user", "assistant", "tool", "user"}), RowUse::kTrain); },
              ThrowsMessage<UserError>(HasSubstr("turn 4 is the user's where the assistant's is due")));
}

TEST(ChatTurns, ASystemTurnStandsFirst) {
  EXPECT_NO_THROW(check_turns(turns_of({"system", "user", "assistant"}), RowUse::kTrain));
  EXPECT_THAT([] { check_turns(turns_of({"user", "assistant", "system"}), RowUse::kTrain); },
              ThrowsMessage<UserError>(HasSubstr("turn 3 is the system's where the user's is due")));
}

}  // namespace
}  // namespace dflash
