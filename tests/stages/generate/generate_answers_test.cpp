// SPDX-License-Identifier: Apache-2.0
#include "stages/generate/generate_answers.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/snapshot.h"
#include "framework/core/stage_runner.h"
#include "stages/data/chat_document.h"

namespace dflash {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::ThrowsMessage;

/// The shipped tiny target and its tokenizer.
class GenerateAnswersTest : public testing::Test {
 protected:
  GenerateAnswersTest() {
    const std::filesystem::path folder = DFLASH_SOURCE_DIR "/configs/tiny/target";
    codec_ = std::make_shared<TextCodec>(load_text_codec(folder));
    resources_.put(codec_);
    resources_.put(
        std::make_shared<Models>(Models::Options{.target_path = folder}, read_target_config(folder), std::nullopt));
    env_.resources = &resources_;
    env_.seed = 1;
    answers_.max_new_tokens.set(12);
    answers_.unfinished.set(GenerateAnswers::Unfinished::kKeep);
  }
  [[nodiscard]] Document prompt(const std::string& text) const {
    return chat_document(
        {.messages = {{.role = "user", .content = text}, {.role = "assistant", .content = "x"}}, .tag = {}}, *codec_,
        64, LossTurns::kAll);
  }
  static std::vector<std::string> lines(StageRunner& runner, const GenerateAnswers& answers) {
    return lines(runner.outputs(answers.rows));
  }
  static std::vector<std::string> lines(const std::vector<JsonRows>& made) {
    std::vector<std::string> all;
    for (const JsonRows& rows : made) {
      all.insert(all.end(), rows.lines.begin(), rows.lines.end());
    }
    return all;
  }

  std::shared_ptr<TextCodec> codec_;
  Resources resources_;
  StageEnv env_;
  GenerateAnswers answers_;
};

TEST_F(GenerateAnswersTest, WritesThePromptAndTheTargetsAnswerAsAChat) {
  StageRunner runner{answers_, env_};
  runner.feed(answers_.documents, prompt("Once upon a time, there was a cat."));
  runner.fire();
  runner.drain();
  const std::vector<std::string> rows = lines(runner, answers_);
  ASSERT_THAT(rows, SizeIs(1));
  const Json messages = Json::parse(rows[0]).at("messages");
  EXPECT_EQ(messages.at(0), (Json{{"role", "user"}, {"content", "Once upon a time, there was a cat."}}));
  EXPECT_EQ(messages.at(1).at("role"), "assistant");
  EXPECT_NE(messages.at(1).at("content"), "");
}

TEST_F(GenerateAnswersTest, MakesEveryAnswerOfAChatAnew) {
  Document document = prompt("Once upon a time, there was a cat.");
  document.tag = "cats";
  document.conversation.push_back({.role = "user", .content = "And then?"});
  StageRunner runner{answers_, env_};
  runner.feed(answers_.documents, document);
  runner.fire();
  runner.drain();
  const std::vector<std::string> rows = lines(runner, answers_);
  ASSERT_THAT(rows, SizeIs(1));
  const Json row = Json::parse(rows[0]);
  EXPECT_EQ(row.at("tag"), "cats");
  ASSERT_EQ(row.at("messages").size(), 4U);
  EXPECT_NE(row.at("messages").at(1).at("content"), "x");
  EXPECT_EQ(row.at("messages").at(2).at("content"), "And then?");
  EXPECT_EQ(row.at("messages").at(3).at("role"), "assistant");
}

TEST_F(GenerateAnswersTest, LeavesOutAnAnswerThatWasCutOff) {
  answers_.unfinished.set(GenerateAnswers::Unfinished::kDrop);
  answers_.max_new_tokens.set(2);
  StageRunner runner{answers_, env_};
  runner.feed(answers_.documents, prompt("Once upon a time, there was a cat."));
  runner.fire();
  runner.drain();
  const std::vector<JsonRows> made = runner.outputs(answers_.rows);
  EXPECT_THAT(lines(made), SizeIs(0));
  EXPECT_EQ(runner.counters().at("unfinished"), 1);
  const JsonRows::LeftOut& left_out = made.at(0).left_out.at("unfinished");
  EXPECT_EQ(left_out.rows, 1);
  EXPECT_EQ(left_out.words,
            "with an answer that is unfinished after 2 tokens (stage.max_new_tokens raises the limit, "
            "stage.unfinished=keep keeps them)");
}

TEST_F(GenerateAnswersTest, LeavesOutAChatThatDoesNotFit) {
  StageRunner runner{answers_, env_};
  std::string longer_than_any = "cat";
  for (int i = 0; i < 12; ++i) {
    longer_than_any += longer_than_any + " ";
  }
  runner.feed(answers_.documents, prompt(longer_than_any));
  runner.feed(answers_.documents, prompt("One."));
  runner.run_until_end(2);
  runner.drain();
  const std::vector<JsonRows> made = runner.outputs(answers_.rows);
  EXPECT_THAT(lines(made), SizeIs(1));
  EXPECT_EQ(runner.counters().at("too_long"), 1);
  EXPECT_THAT(made.at(0).left_out.at("too_long").words, HasSubstr("leave no room for 12 new tokens"));
}

TEST_F(GenerateAnswersTest, GoesOnWithWhatItHeldBack) {
  std::vector<std::string> straight;
  std::vector<std::string> resumed;
  Snapshot held;
  {
    StageRunner runner{answers_, env_};
    runner.feed(answers_.documents, prompt("One."));
    runner.fire();
    held = runner.save();
    runner.drain();
    straight = lines(runner, answers_);
  }
  StageRunner runner{answers_, env_};
  runner.load(held);
  runner.drain();
  resumed = lines(runner, answers_);
  EXPECT_THAT(straight, SizeIs(1));
  EXPECT_EQ(resumed, straight);
}

TEST_F(GenerateAnswersTest, SamplesTheSameInAnyBatch) {
  std::vector<std::vector<std::string>> found;
  for (const std::int64_t batch : {1, 3}) {
    GenerateAnswers answers;
    answers.batch.set(batch);
    answers.temperature.set(0.8);
    answers.max_new_tokens.set(12);
    answers.unfinished.set(GenerateAnswers::Unfinished::kKeep);
    StageRunner runner{answers, env_};
    for (const char* text : {"One.", "Two words.", "Three little words."}) {
      runner.feed(answers.documents, prompt(text));
    }
    runner.run_until_end(3);
    runner.drain();
    found.push_back(lines(runner, answers));
  }
  EXPECT_EQ(found[0], found[1]);
}

TEST_F(GenerateAnswersTest, RefusesARowThatIsNoChat) {
  StageRunner runner{answers_, env_};
  Document document;
  document.row_id = 5;
  document.ids = {5, 6};
  document.loss_mask = {1, 1};
  runner.feed(answers_.documents, document);
  EXPECT_THAT([&] { runner.fire(); }, ThrowsMessage<UserError>(HasSubstr("row 5 is no chat")));
}

}  // namespace
}  // namespace dflash
