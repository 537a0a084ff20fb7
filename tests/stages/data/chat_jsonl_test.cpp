// SPDX-License-Identifier: Apache-2.0
#include "stages/data/chat_jsonl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/error.h"
#include "framework/core/stage_check.h"
#include "tests/stages/data/source_checks.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::string chat_line(const std::string& answer) {
  return R"({"messages":[{"role":"user","content":"tell"},{"role":"assistant","content":")" + answer + "\"}]}\n";
}

const std::string kFive =
    chat_line("one") + chat_line("two") + chat_line("three") + chat_line("four") + chat_line("five");

class ChatJsonlTest : public testing::Test, protected CodecEnv {};

TEST_F(ChatJsonlTest, EmitsEachRowOnceAnEpochWithItsMask) {
  ChatJsonl stage;
  stage.path.set(data_file("five.jsonl", kFive));
  stage.epochs.set(2);
  stage.shuffle.set(false);
  StageRunner runner{stage, env()};
  const std::vector<Document> found = documents(runner, stage, 100);
  ASSERT_EQ(found.size(), 10U);
  EXPECT_TRUE(runner.ended());
  EXPECT_EQ(found[7].row_id, 2);
  EXPECT_EQ(found[7].epoch, 1);
  EXPECT_EQ(codec().tokenizer.decode(found[7].ids),
            "<|im_start|>user\ntell<|im_end|>\n<|im_start|>assistant\nthree<|im_end|>\n");
  EXPECT_EQ(marked_text(found[7], codec().tokenizer),
            R"(<|im_start|>user\ntell<|im_end|>\n<|im_start|>assistant\n»three<|im_end|>«\n)");
}

TEST_F(ChatJsonlTest, GoesOnWithTheSameItemsAfterLoad) {
  const std::string path = data_file("five.jsonl", kFive);
  const auto make = [&](ChatJsonl& stage) { stage.path.set(path); };
  expect_same_after_load<ChatJsonl>(make, env(), 7, 20);
}

TEST_F(ChatJsonlTest, CountsRejectedRowsAndGoesOn) {
  ChatJsonl stage;
  stage.path.set(data_file("some_bad.jsonl", kFive + "\n{\"messages\":[]}\n" + kFive));
  stage.epochs.set(1);
  stage.max_bad_fraction.set(0.1);
  StageRunner runner{stage, env()};
  EXPECT_EQ(documents(runner, stage, 100).size(), 10U);
  EXPECT_EQ(runner.counters().at("rows_rejected"), 1);
  const Json reasons = runner.log().summaries()["data"]["data"]["rejected"]["first"];
  EXPECT_THAT(reasons[0].get<std::string>(), HasSubstr("some_bad.jsonl:7: the conversation is empty"));
}

TEST_F(ChatJsonlTest, UsesOnlyTheFirstOfRowsThatAskTheSame) {
  const std::string other = R"({"messages":[{"role":"user","content":"ask"},{"role":"assistant","content":"one"}]})"
                            "\n";
  ChatJsonl stage;
  stage.path.set(data_file("repeated.jsonl", chat_line("one") + other + chat_line("two")));
  stage.epochs.set(1);
  stage.shuffle.set(false);
  stage.distinct.set(true);
  StageRunner runner{stage, env()};
  const std::vector<Document> found = documents(runner, stage, 100);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].row_id, 1);
  EXPECT_EQ(runner.counters().at("rows_repeated"), 1);
  EXPECT_EQ(runner.log().work().total, 2);
  EXPECT_THAT(runner.log().summaries().at("notes").at("data").get<std::string>(),
              HasSubstr("repeated.jsonl: 1 of 3 rows ask what an earlier one asks, and are left out (distinct)"));
}

TEST_F(ChatJsonlTest, NotesTheRowsThatItRejects) {
  ChatJsonl stage;
  stage.path.set(data_file("six.jsonl", kFive + "{\n"));
  stage.max_bad_fraction.set(0.5);
  const StageRunner runner{stage, env()};
  EXPECT_THAT(runner.log().summaries().at("notes").at("data").get<std::string>(),
              AllOf(HasSubstr("six.jsonl: 1 of 6 rows rejected:\n    "), HasSubstr("six.jsonl:6: not JSON")));
  stage.path.set(data_file("five.jsonl", kFive));
  EXPECT_FALSE(StageRunner(stage, env()).log().summaries().contains("notes"));
}

TEST_F(ChatJsonlTest, TakesQuestionsWithoutAnswersWhereThoseWillBeMade) {
  const std::string question = R"({"messages":[{"role":"user","content":"ask"}],"tag":"t"})"
                               "\n";
  ChatJsonl stage;
  stage.path.set(data_file("questions.jsonl", question + chat_line("one")));
  stage.epochs.set(1);
  stage.shuffle.set(false);
  stage.use.set(RowUse::kGenerate);
  StageRunner runner{stage, env()};
  const std::vector<Document> found = documents(runner, stage, 100);
  ASSERT_EQ(found.size(), 2U);
  ASSERT_EQ(found[0].conversation.size(), 1U);
  EXPECT_EQ(found[0].conversation[0].content, "ask");
  EXPECT_EQ(found[0].tag, "t");
  EXPECT_EQ(found[1].conversation.size(), 2U);
}

/// What a stage makes of a file whose bad rows are allowed: its documents, and the reasons of the rejected rows.
struct Outcome {
  std::vector<Document> documents;
  std::vector<std::string> reasons;
};

struct ChatFile : CodecEnv {
  Outcome run(const std::string& content) const {
    ChatJsonl stage;
    stage.path.set(data_file("rows.jsonl", content));
    stage.epochs.set(1);
    stage.shuffle.set(false);
    stage.max_bad_fraction.set(0.8);
    StageRunner runner{stage, env()};
    Outcome outcome{.documents = documents(runner, stage, 1000), .reasons = {}};
    const Json summary = runner.log().summaries()["data"]["data"];
    EXPECT_EQ(summary["rows"].get<std::size_t>(),
              outcome.documents.size() + summary["rejected"]["count"].get<std::size_t>());
    outcome.reasons = summary["rejected"]["first"].get<std::vector<std::string>>();
    return outcome;
  }
};

TEST(FieldReports, D01OddConversationsAreRejectedByLineAndReason) {
  ChatFile file;
  const std::string rows =
      "{\"messages\":[]}\n"
      "{\"messages\":[{\"role\":\"system\",\"content\":\"s\"}]}\n"
      "{\"messages\":[{\"role\":\"assistant\",\"content\":\"a\"}]}\n" +
      chat_line("one");
  const Outcome outcome = file.run(rows);
  EXPECT_EQ(outcome.documents.size(), 1U);
  EXPECT_THAT(outcome.reasons,
              testing::ElementsAre(HasSubstr("rows.jsonl:1: the conversation is empty"),
                                   HasSubstr("rows.jsonl:2: there is no assistant's turn"),
                                   HasSubstr("rows.jsonl:3: turn 1 is the assistant's where the user's")));
  ChatJsonl strict;
  strict.path.set(data_file("rows.jsonl", rows));
  strict.max_bad_fraction.set(0);
  EXPECT_THAT([&] { StageRunner(strict, file.env()); }, ThrowsMessage<UserError>(HasSubstr("rows.jsonl:1: ")));
}

TEST(FieldReports, D02RolesAreKnownByTheirAliasesOrRejected) {
  ChatFile file;
  const auto row = [](const std::string& first, const std::string& second, const std::string& third) {
    return R"({"conversations":[{"from":"human","value":"q"},{"from":")" + first + R"(","value":"a"},{"from":")" +
           second + R"(","value":"b"},{"from":")" + third + "\",\"value\":\"c\"}]}\n";
  };
  const Outcome outcome = file.run(row("gpt", "human", "chatgpt") + row("gpt", "gpt", "human") +
                                   row("gpt", "tool", "bard") + row("bot", "human", "gpt"));
  EXPECT_EQ(outcome.documents.size(), 2U);
  EXPECT_THAT(outcome.reasons,
              testing::ElementsAre(HasSubstr("rows.jsonl:2: turn 3 is the assistant's where the user's is due"),
                                   HasSubstr("rows.jsonl:4: role 'bot' of turn 2 is not supported; allowed: ")));
}

TEST(FieldReports, D03ARowThatTheTemplateRefusesDoesNotEndTheRun) {
  ChatFile file;
  std::string rows;
  const std::string good = R"({"role":"assistant","content":"a"})";
  for (int line = 1; line <= 100; ++line) {
    const std::string content = line == 57   ? "null"
                                : line == 58 ? "7"
                                : line == 59 ? R"([{"type":"text","text":"q"}])"
                                             : "\"q\"";
    rows += R"({"messages":[{"role":"user","content":)" + content + "}," + good + "]}\n";
  }
  const Outcome outcome = file.run(rows);
  EXPECT_EQ(outcome.documents.size(), 97U);
  EXPECT_THAT(outcome.reasons, testing::ElementsAre(HasSubstr("rows.jsonl:57: 'content' of turn 1 is null"),
                                                    HasSubstr("rows.jsonl:58: 'content' of turn 1 is number"),
                                                    HasSubstr("rows.jsonl:59: 'content' of turn 1 is array")));
}

TEST(FieldReports, D03WhatTheTemplateWouldLeaveOutIsRejected) {
  ChatFile file;
  const Outcome outcome = file.run(
      chat_line("one") +
      R"({"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a","reasoning_content":"r"}]})"
      "\n"
      R"({"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a","tool_calls":[{"name":"f","arguments":{}}]}]})"
      "\n");
  EXPECT_EQ(outcome.documents.size(), 1U);
  EXPECT_THAT(outcome.reasons,
              testing::ElementsAre(HasSubstr("rows.jsonl:2: turn 2 has 'reasoning_content', which the target's chat"),
                                   HasSubstr("rows.jsonl:3: turn 2 has 'tool_calls', which the target's chat")));
}

TEST(FieldReports, D04AllRenderedRowsArriveWhateverTheTemplateIs) {
  ChatFile file;
  file.codec().chat = ChatTemplate{"{{ unknown }}", "here"};
  std::string rows;
  for (int i = 0; i < 64; ++i) {
    rows += R"({"text":"Q: one two three A: four five six","spans":[[19,33]]})"
            "\n";
  }
  const Outcome outcome = file.run(rows);
  EXPECT_EQ(outcome.documents.size(), 64U);
  EXPECT_THAT(outcome.reasons, testing::IsEmpty());
  EXPECT_EQ(marked_text(outcome.documents[63], file.codec().tokenizer), "Q: one two three A:» four five six«");
}

TEST(FieldReports, D07ChatsWithoutAKnownTemplateAreRefusedAtOnce) {
  ChatFile file;
  file.codec().chat = ChatTemplate{"{{ unknown }}", "here"};
  EXPECT_THAT([&] { file.run(kFive); }, ThrowsMessage<UserError>(HasSubstr("here: this chat template is not known")));
}

TEST(FieldReports, L03DataInWhichNothingIsTrainedOnIsRefusedWithARowShown) {
  ChatFile file;
  std::string rows;
  for (int i = 0; i < 8; ++i) {
    rows += R"({"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a","loss":0}]})"
            "\n";
  }
  EXPECT_THAT([&] { file.run(rows); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("0 of 8 rows have a supervised token; the first: "),
                                             HasSubstr(R"(<|im_start|>assistant\na<|im_end|>)"))));
}

TEST_F(ChatJsonlTest, RefusesTooManyBadRowsWithTheirPlaces) {
  ChatJsonl stage;
  stage.path.set(data_file("bad.jsonl", kFive + "{\n"));
  EXPECT_THAT([&] { StageRunner(stage, env()); }, ThrowsMessage<UserError>(AllOf(HasSubstr("1 of 6 rows are rejected"),
                                                                                 HasSubstr("bad.jsonl:6: not JSON"))));
}

TEST_F(ChatJsonlTest, SkipsAndCountsRowsWithoutAnAnchor) {
  ChatJsonl stage;
  stage.path.set(data_file("lone.jsonl", chat_line("") + kFive));  // the end of turn alone
  stage.epochs.set(1);
  StageRunner runner{stage, env()};
  EXPECT_EQ(documents(runner, stage, 100).size(), 5U);
  EXPECT_EQ(runner.counters().at("rows_without_anchor"), 1);
}

TEST_F(ChatJsonlTest, RefusesDataInWhichNothingIsSupervised) {
  ChatJsonl stage;
  stage.path.set(data_file("five.jsonl", kFive));
  stage.max_length.set(4);
  EXPECT_THAT(
      [&] { StageRunner(stage, env()); },
      ThrowsMessage<UserError>(AllOf(HasSubstr("five.jsonl"), HasSubstr("0 of 5 rows have a supervised token"))));
}

TEST_F(ChatJsonlTest, RefusesAMaskTokenThatTheChatsContainAndShowsOne) {
  codec().mask_id = codec().tokenizer.id_of("<|im_start|>").value();
  ChatJsonl stage;
  stage.path.set(data_file("five.jsonl", kFive));
  EXPECT_THAT([&] { StageRunner(stage, env()); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("row 0 contains the mask token '<|im_start|>' (id 1)"),
                                             HasSubstr("<|im_start|>user\\n"))));
}

TEST_F(ChatJsonlTest, RefusesAMaskTokenThatALateRowContains) {
  std::string content;
  for (int i = 0; i < 20; ++i) {
    content += kFive;
  }
  codec().mask_id = codec().tokenizer.encode("Q").at(0);
  ChatJsonl stage;
  stage.path.set(data_file("late.jsonl", content + chat_line("Q")));
  stage.shuffle.set(false);
  StageRunner runner{stage, env()};
  EXPECT_THAT([&] { (void)documents(runner, stage, 101); },
              ThrowsMessage<UserError>(HasSubstr("row 100 contains the mask token 'Q'")));
}

TEST_F(ChatJsonlTest, RefusesRowsLongerThanTheTargetTakes) {
  ChatJsonl stage;
  stage.path.set(data_file("one.jsonl", chat_line("one")));
  StageRunner runner{stage, env()};
  const auto length = static_cast<std::int64_t>(documents(runner, stage, 1).at(0).ids.size());
  codec().max_positions = length - 1;
  EXPECT_THAT([&] { StageRunner(stage, env()); },
              ThrowsMessage<UserError>(HasSubstr("max_position_embeddings is " + std::to_string(length - 1))));
  stage.max_length.set(length);
  EXPECT_THAT([&] { StageRunner(stage, env()); },
              ThrowsMessage<UserError>(HasSubstr("allowed: at most the target's max_position_embeddings")));
  stage.max_length.set(length - 1);
  EXPECT_NO_THROW(StageRunner(stage, env()));
}

TEST_F(ChatJsonlTest, ChecksTheFirstRowsOfALongFileAndLeavesTheRestToTheRun) {
  std::string content;
  for (int i = 0; i < 20; ++i) {
    content += kFive;
  }
  ChatJsonl stage;
  stage.path.set(data_file("long.jsonl", content + "{\n"));
  Diagnostics diagnostics;
  GraphMistakes mistakes{diagnostics};
  const StageEnv stage_env = env();
  StageCheck check{stage_env, stage, nullptr, mistakes};
  stage.check(check);
  EXPECT_TRUE(diagnostics.empty());
  stage.path.set(data_file("wrong.jsonl", std::string(200, 'x') + "\n" + std::string(200, '\n') + "[1]\n"));
  stage.check(check);
  EXPECT_THAT(diagnostics.mistakes(),
              testing::ElementsAre(AllOf(HasSubstr("/stages/data/params/path: "),
                                         HasSubstr("none of its rows can be used (2 of 2 rejected)"))));
}

TEST_F(ChatJsonlTest, RefusesAMissingFileAnEmptyOneAndNone) {
  ChatJsonl stage;
  EXPECT_THAT([&] { StageRunner(stage, env()); }, ThrowsMessage<UserError>(HasSubstr("no such file ''")));
  stage.path.set(DFLASH_SOURCE_DIR "/configs/tiny/tarin.jsonl");
  EXPECT_THAT(
      [&] { StageRunner(stage, env()); },
      ThrowsMessage<UserError>(AllOf(HasSubstr("/params/path: no such file '"),
                                     HasSubstr("did you mean '" DFLASH_SOURCE_DIR "/configs/tiny/train.jsonl'?"))));
  stage.path.set(data_file("empty.jsonl", "\n"));
  EXPECT_THAT([&] { StageRunner(stage, env()); }, ThrowsMessage<UserError>(HasSubstr("there are no rows")));
}

}  // namespace
}  // namespace dflash
