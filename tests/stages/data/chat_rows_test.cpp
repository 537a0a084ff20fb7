// SPDX-License-Identifier: Apache-2.0
#include "stages/data/chat_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include "stages/data/json_file.h"
#include "tests/support/any_json.h"

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const TextCodec& tiny() {
  static const TextCodec codec = load_text_codec(DFLASH_SOURCE_DIR "/configs/tiny/target");
  return codec;
}

ChatRow row_of(const std::string& line) { return std::get<ChatRow>(parse_chat_row(line)); }

std::string supervised_text(const Document& document) {
  std::string text;
  for (std::size_t i = 0; i < document.ids.size(); ++i) {
    text += document.loss_mask[i] == 1 ? std::string{tiny().tokenizer.bytes_of(document.ids[i])} : "";
  }
  return text;
}

TEST(ChatRows, IdsAndMaskEqualTheReferencePackages) {
  for (const nlohmann::json& expected : load_json(DFLASH_SOURCE_DIR "/tests/data/chat/tiny_chat_golden.json")) {
    ChatRow row;
    for (const nlohmann::json& turn : expected["messages"]) {
      row.messages.push_back({.role = turn["role"], .content = turn["content"]});
    }
    const Document document = chat_document(row, tiny(), 4096, LossTurns::kAll);
    EXPECT_EQ(nlohmann::json(document.ids), expected["ids"]);
    EXPECT_EQ(nlohmann::json(document.loss_mask), expected["loss_mask"]);
  }
}

TEST(ChatRows, SupervisesEveryAnswerOrTheLastOrTheChosen) {
  const std::string turns =
      R"({"role":"user","content":"q"},{"role":"assistant","content":"one"},{"role":"user","content":"q"},)";
  const ChatRow row = row_of(R"({"messages":[)" + turns + R"({"role":"assistant","content":"two"}]})");
  EXPECT_EQ(supervised_text(chat_document(row, tiny(), 100, LossTurns::kAll)), "one<|im_end|>two<|im_end|>");
  EXPECT_EQ(supervised_text(chat_document(row, tiny(), 100, LossTurns::kLast)), "two<|im_end|>");
  const ChatRow chosen = row_of(R"({"messages":[)" + turns + R"({"role":"assistant","content":"two","loss":0}]})");
  EXPECT_EQ(supervised_text(chat_document(chosen, tiny(), 100, LossTurns::kAll)), "one<|im_end|>");
}

TEST(ChatRows, CutsOffOnTheRight) {
  const ChatRow row =
      row_of(R"({"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a b c d"}]})");
  const Document whole = chat_document(row, tiny(), 1000, LossTurns::kAll);
  const Document cut = chat_document(row, tiny(), 5, LossTurns::kAll);
  EXPECT_THAT(cut.ids, testing::ElementsAreArray(whole.ids.begin(), whole.ids.begin() + 5));
  EXPECT_THAT(cut.loss_mask, testing::ElementsAreArray(whole.loss_mask.begin(), whole.loss_mask.begin() + 5));
}

TEST(ChatRows, ReadsAliasesAndTag) {
  const ChatRow row =
      row_of(R"({"conversations":[{"from":"human","value":"q"},{"from":"gpt","value":"a"}],"tag":"math"})");
  EXPECT_EQ(row.tag, "math");
  EXPECT_THAT(row.messages,
              ElementsAre(testing::FieldsAre("user", "q", true), testing::FieldsAre("assistant", "a", true)));
}

TEST(ChatRows, AnAliasGivesWayToTheKeyItself) {
  const ChatRow row = row_of(R"({"messages":[{"role":"user","from":"gpt","content":"q","value":"v"},)"
                             R"({"from":"gpt","content":"a"}]})");
  EXPECT_THAT(row.messages,
              ElementsAre(testing::FieldsAre("user", "q", true), testing::FieldsAre("assistant", "a", true)));
}

TEST(ChatRows, AnAnchorNeedsTwoSupervisedTokensInARow) {
  EXPECT_TRUE(has_anchor({0, 1, 1}));
  EXPECT_FALSE(has_anchor({1, 0, 1}));
  EXPECT_FALSE(has_anchor({}));
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
        BadLine{R"({"messages":[{"role":"tool","content":"s"}]})", "role 'tool' of turn 1"},
        BadLine{R"({"messages":[{"role":"user","content":null}]})", "'content' of turn 1 is null"},
        BadLine{R"({"messages":[{"role":"user","content":7}]})", "'content' of turn 1 is number"},
        BadLine{R"({"messages":[{"role":"user","content":[{"type":"text"}]}]})", "'content' of turn 1 is array"},
        BadLine{R"({"messages":[{"role":"user"}]})", "turn 1 has no 'content'"},
        BadLine{R"({"messages":[{"content":"q"}]})", "turn 1 has no 'role'"},
        BadLine{R"({"conversations":[{"from":"human","value":7}]})", "'value' of turn 1 is number"},
        BadLine{R"({"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a","loss":"x"}]})",
                "'loss' of turn 2 is \"x\""},
        BadLine{R"({"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}],"tag":3})",
                "'tag' is number"}));

// Whatever a line is, it is a row that keeps the promises of its type, or it is refused with a reason.
RC_GTEST_PROP(ParseChatRow, ReadsOrRefusesAnyLine, ()) {
  const nlohmann::json row =
      nlohmann::json::parse(R"({"messages":[{"role":"system","content":"s"},{"role":"user","content":"q"},)"
                            R"({"role":"assistant","content":"a","loss":true}],"tag":"t"})");
  const bool is_json = *rc::gen::arbitrary<bool>();
  const std::string line = is_json ? mutated(row).dump() : *rc::gen::string<std::string>();
  const std::variant<ChatRow, BadRow> parsed = parse_chat_row(line);
  if (const auto* bad = std::get_if<BadRow>(&parsed)) {
    RC_ASSERT(!bad->reason.empty());
    RC_ASSERT(!is_json || bad->reason.find("not JSON") == std::string::npos);
    return;
  }
  const ChatRow& read = std::get<ChatRow>(parsed);
  const std::size_t first = read.messages.at(0).role == "system" ? 1 : 0;
  RC_ASSERT(read.messages.size() >= first + 2);
  for (std::size_t i = first; i < read.messages.size(); ++i) {
    RC_ASSERT(read.messages[i].role == ((i - first) % 2 == 0 ? "user" : "assistant"));
  }
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
