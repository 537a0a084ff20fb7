// SPDX-License-Identifier: Apache-2.0
#include "stages/prepare/tokenize_chats.h"

#include <gmock/gmock.h>

#include "framework/core/stage_check.h"
#include "stages/data/chat_jsonl.h"
#include "stages/prepare/jsonl_lines.h"
#include "tests/stages/data/source_checks.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class TokenizeChatsTest : public testing::Test, protected CodecEnv {
 protected:
  TokenizedRows tokenize(const std::vector<std::string>& lines) {
    StageRunner runner{stage_, env()};
    TextLines item{.file = "chats.jsonl", .first_row = 10, .lines = {}};
    for (const std::string& line : lines) {
      item.lines.push_back({.number = 21 + std::ssize(item.lines), .text = line});
    }
    runner.feed(stage_.in, item);
    runner.fire();
    counters_ = runner.counters();
    return runner.outputs(stage_.out).at(0);
  }
  static std::string chat(const std::string& answer) {
    return R"({"tag":"t","messages":[{"role":"user","content":"tell"},{"role":"assistant","content":")" + answer +
           "\"}]}";
  }

  TokenizeChats stage_;
  std::map<std::string, std::int64_t> counters_;
};

TEST_F(TokenizeChatsTest, MakesTheDocumentsOfChatJsonl) {
  const TokenizedRows made = tokenize({chat("one"), chat("two")});
  ChatJsonl source;
  source.path.set(data_file("two_chats.jsonl", chat("one") + "\n" + chat("two")));
  source.epochs.set(1);
  source.shuffle.set(false);
  StageRunner runner{source, env()};
  const std::vector<Document> expected = documents(runner, source, 10);
  ASSERT_EQ(made.documents.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(made.documents[i].ids, expected[i].ids);
    EXPECT_EQ(made.documents[i].loss_mask, expected[i].loss_mask);
    EXPECT_EQ(made.documents[i].tag, "t");
    EXPECT_EQ(made.documents[i].row_id, 10 + expected[i].row_id);
  }
}

TEST_F(TokenizeChatsTest, RejectsARowOfWhichTheTemplateWouldLeaveSomethingOut) {
  const TokenizedRows made = tokenize(
      {chat("one"),
       R"({"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a","reasoning_content":"r"}]})"});
  EXPECT_EQ(made.documents.size(), 1U);
  ASSERT_EQ(made.rejected.size(), 1U);
  EXPECT_NE(made.rejected[0].second.find("turn 2 has 'reasoning_content'"), std::string::npos);
}

/// What `check` says of a file of such rows, read by the stage "read".
std::vector<std::string> mistakes_of(const std::string& rows, const StageEnv& env) {
  Graph graph;
  auto& lines = graph.add<JsonlLines>("read");
  auto& chats = graph.add<TokenizeChats>("tokenize");
  lines.path.set(data_file("checked.jsonl", rows));
  graph.connect(lines.out, chats.in);
  Diagnostics diagnostics;
  GraphMistakes mistakes{diagnostics};
  StageCheck check{env, chats, &graph, mistakes};
  chats.check(check);
  return diagnostics.mistakes();
}

TEST_F(TokenizeChatsTest, ChecksTheFirstRowsOfTheFile) {
  const std::string rendered = R"({"text": "1+1? 2", "spans": [[5, 6]]})"
                               "\n";
  EXPECT_THAT(mistakes_of(chat("one") + "\n{\n", env()), testing::IsEmpty());
  EXPECT_THAT(mistakes_of("{\n{\n", env()),
              ElementsAre(AllOf(HasSubstr("/stages/read/params/path: "),
                                HasSubstr("none of the first rows can be used (2 of 2"))));
  codec().chat = ChatTemplate{"{{ unknown }}", "here"};
  EXPECT_THAT(mistakes_of(chat("one") + "\n", env()), ElementsAre(HasSubstr("here: this chat template is not known")));
  EXPECT_THAT(mistakes_of(rendered, env()), testing::IsEmpty()) << "needs no template";
}

TEST_F(TokenizeChatsTest, TellsEveryRowThatCannotBeUsed) {
  stage_.max_length.set(9);  // up to the answer's first tokens, or not so far
  const TokenizedRows made = tokenize({chat("one"), "no json", R"({"messages":[]})", chat("two")});
  EXPECT_EQ(made.rows, 4);
  ASSERT_EQ(made.rejected.size(), 2U);
  EXPECT_EQ(made.rejected[0].first, "chats.jsonl:22");
  EXPECT_EQ(made.rejected[1].second, "the conversation is empty");
  EXPECT_EQ(std::ssize(made.documents) + made.without_anchor, 2);
  EXPECT_EQ(counters_.at("rows_in"),
            counters_.at("rows_out") + counters_.at("rows_rejected") + counters_.at("rows_without_anchor"));
  EXPECT_EQ(made.settings.at("max_length"), "9");
}

}  // namespace
}  // namespace dflash
