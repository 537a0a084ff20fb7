// SPDX-License-Identifier: Apache-2.0
#include "stages/data/chat_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include "tests/support/any_json.h"

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ChatRow row_of(const std::string& line) { return std::get<ChatRow>(parse_chat_row(line)); }

TEST(ChatRows, ReadsAliasesAndTag) {
  const ChatRow row =
      row_of(R"({"conversations":[{"from":"human","value":"q"},{"from":"gpt","value":"a"}],"tag":"math"})");
  EXPECT_EQ(row.tag, "math");
  EXPECT_EQ(row.rendered, std::nullopt);
  ASSERT_EQ(row.messages.size(), 2U);
  EXPECT_EQ(row.messages[0].role, "user");
  EXPECT_EQ(row.messages[1].content, "a");
}

TEST(ChatRows, ReadsRenderedTextWithSpansInCharacters) {
  const ChatRow row = row_of(R"({"text":"é🙂ab","spans":[[0,1],[1,2],[3,4]]})");
  ASSERT_TRUE(row.rendered.has_value());
  EXPECT_EQ(row.rendered->text, "é🙂ab");
  EXPECT_THAT(row.rendered->answers,
              ElementsAre(testing::FieldsAre(0, 2), testing::FieldsAre(2, 6), testing::FieldsAre(7, 8)));
  EXPECT_EQ(question_of(row), "é🙂a");
}

TEST(ChatRows, WhatIsAskedIsAllBeforeTheLastAnswer) {
  const auto asked = [](const std::string& reasoning, const std::string& answer) {
    return question_of(row_of(R"({"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a",)"
                              R"("reasoning_content":")" +
                              reasoning + R"("},{"role":"user","content":"r"},{"role":"assistant","content":")" +
                              answer + R"("}]})"));
  };
  EXPECT_EQ(asked("x", "b"), asked("x", "c"));
  EXPECT_NE(asked("x", "b"), asked("y", "b"));
}

using BadLine = std::pair<std::string, std::string>;

class ChatRowsReject : public testing::TestWithParam<BadLine> {};

TEST_P(ChatRowsReject, ABadRowWithItsReason) {
  const auto parsed = parse_chat_row(GetParam().first);
  ASSERT_TRUE(std::holds_alternative<BadRow>(parsed)) << GetParam().first;
  EXPECT_THAT(std::get<BadRow>(parsed).reason, HasSubstr(GetParam().second));
}

INSTANTIATE_TEST_SUITE_P(
    All, ChatRowsReject,
    testing::Values(
        BadLine{"{", "not JSON"}, BadLine{"\xFF", "not JSON"}, BadLine{"[]", "the row is array, not an object"},
        BadLine{R"({"text":"x"})", "neither 'messages' nor 'conversations'"},
        BadLine{R"({"messages":7})", "not a list"}, BadLine{R"({"messages":[]})", "empty"},
        BadLine{R"({"messages":["x"]})", "turn 1 is string, not an object"},
        BadLine{R"({"messages":[{"role":"system","content":"s"}]})", "no assistant's turn"},
        BadLine{R"({"messages":[{"role":"user","content":"s"}]})", "no assistant's turn"},
        BadLine{R"({"messages":[{"role":"assistant","content":"s"}]})",
                "turn 1 is the assistant's where the user's is due"},
        BadLine{R"({"messages":[{"role":"user","content":"s"},{"role":"user","content":"s"}]})",
                "turn 2 is the user's"},
        BadLine{R"({"messages":[{"role":"bot","content":"s"}]})", "role 'bot' of turn 1 is not supported"},
        BadLine{R"({"messages":[{"role":"tool","content":"s"}]})", "turn 1 is the tool's where the user's is due"},
        BadLine{R"({"messages":[{"role":"user","content":null}]})", "'content' of turn 1 is null"},
        BadLine{R"({"messages":[{"role":"user","content":7}]})", "'content' of turn 1 is number"},
        BadLine{R"({"messages":[{"role":"user","content":[{"type":"text"}]}]})", "'content' of turn 1 is array"},
        BadLine{R"({"messages":[{"role":"user"}]})", "turn 1 has no 'content'"},
        BadLine{R"({"messages":[{"content":"q"}]})", "turn 1 has no 'role'"},
        BadLine{R"({"conversations":[{"from":"human","value":7}]})", "'value' of turn 1 is number"},
        BadLine{R"({"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a","loss":"x"}]})",
                "'loss' of turn 2 is \"x\""},
        BadLine{R"({"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}],"tag":3})",
                "'tag' is number"},
        BadLine{R"({"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}],"tools":[{}]})",
                "'tools' is not supported"},
        BadLine{R"({"text":7,"spans":[[0,1]]})", "'text' is number"},
        BadLine{R"({"text":"ab","spans":[]})", "'spans' is []"}, BadLine{R"({"text":"ab","spans":7})", "'spans' is 7"},
        BadLine{R"({"text":"ab","spans":[[0,1],7]})", "span 2 is 7; allowed: [begin, end]"},
        BadLine{R"({"text":"ab","spans":[[0]]})", "span 1 is [0]"},
        BadLine{R"({"text":"ab","spans":[[-1,1]]})", "span 1 is [-1,1]"},
        BadLine{R"({"text":"ab","spans":[[0.5,1]]})", "span 1 is [0.5,1]"},
        BadLine{R"({"text":"ab","spans":[[1,1]]})", "span 1 is [1,1]; allowed: begin from 0"},
        BadLine{R"({"text":"é","spans":[[0,2]]})", "at most 1, the text's length in characters"},
        BadLine{R"({"text":"abc","spans":[[0,2],[1,3]]})", "span 2 is [1,3]; allowed: begin from 2"}));

void expect_order(const ChatRow& row) {
  RC_ASSERT(row.messages.size() >= 2U);
  for (std::size_t i = 1; i < row.messages.size(); ++i) {
    const std::string& role = row.messages[i].role;
    RC_ASSERT(role != "system");
    RC_ASSERT(role != row.messages[i - 1].role || role == "tool");
  }
}

void expect_spans(const RenderedChat& chat) {
  RC_ASSERT(!chat.answers.empty());
  std::size_t done = 0;
  for (const TokenSpan& span : chat.answers) {
    RC_ASSERT(done <= span.begin && span.begin < span.end && span.end <= chat.text.size());
    done = span.end;
  }
}

// Whatever a line is, it is a row that keeps the promises of its type, or it is refused with a reason.
RC_GTEST_PROP(ParseChatRow, ReadsOrRefusesAnyLine, ()) {
  const nlohmann::json chat =
      nlohmann::json::parse(R"({"messages":[{"role":"system","content":"s"},{"role":"user","content":"q"},)"
                            R"({"role":"assistant","content":"a","loss":true,"reasoning_content":"r",)"
                            R"("tool_calls":[{"function":{"name":"f","arguments":{"x":[1]}}}]}],"tag":"t"})");
  const nlohmann::json rendered = nlohmann::json::parse(R"({"text":"aéc","spans":[[0,1],[1,3]],"tag":"t"})");
  const bool is_json = *rc::gen::arbitrary<bool>();
  const bool is_chat = *rc::gen::arbitrary<bool>();
  const std::string line = is_json ? mutated(is_chat ? chat : rendered).dump() : *rc::gen::string<std::string>();
  const std::variant<ChatRow, BadRow> parsed = parse_chat_row(line);
  if (const auto* bad = std::get_if<BadRow>(&parsed)) {
    RC_ASSERT(!bad->reason.empty());
    RC_ASSERT(!is_json || bad->reason.find("not JSON") == std::string::npos);
    return;
  }
  const ChatRow& read = std::get<ChatRow>(parsed);
  read.rendered ? expect_spans(*read.rendered) : expect_order(read);
}

TEST(ParseChatRow, RefusesAZeroByteAndWhatIsBehindIt) {
  const std::string row = R"({"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]})";
  EXPECT_THAT(std::get<BadRow>(parse_chat_row(row + std::string("\0 more", 6))).reason, HasSubstr("a zero byte"));
}

TEST(ParseChatRow, SurvivesDeepNesting) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const auto parsed = parse_chat_row(R"({"messages":[{"role":"user","content":"q"},)"
                                     R"({"role":"assistant","content":"a","loss":)" +
                                     deep + "}]}");
  EXPECT_THAT(std::get<BadRow>(parsed).reason, testing::HasSubstr("column 146: nested deeper than 64 levels"));
}

}  // namespace
}  // namespace dflash
