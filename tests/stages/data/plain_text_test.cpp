// SPDX-License-Identifier: Apache-2.0
#include "stages/data/plain_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/error.h"
#include "tests/stages/data/source_checks.h"

namespace dflash {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class PlainTextTest : public testing::Test, protected CodecEnv {};

TEST_F(PlainTextTest, MakesEachParagraphADocumentWithLossOnAll) {
  PlainText stage;
  stage.path.set(data_file("two.txt", "One day. It rained.\nMuch.\n\nTwo days. Sun.\n"));
  stage.epochs.set(1);
  stage.shuffle.set(false);
  StageRunner runner{stage, env()};
  const std::vector<Document> found = documents(runner, stage, 10);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(codec().tokenizer.decode(found[0].ids), "One day. It rained.\nMuch.");
  EXPECT_THAT(found[1].loss_mask, testing::Each(1));
  EXPECT_EQ(found[1].loss_mask.size(), found[1].ids.size());
}

TEST_F(PlainTextTest, MakesTheFirstSentenceTheUsersTurn) {
  PlainText stage;
  stage.path.set(data_file("two.txt", "One day. It rained.\nMuch.\n"));
  stage.as_chat.set(PlainText::AsChat::kFirstSentence);
  stage.loss_on.set(PlainText::LossOn::kAssistant);
  StageRunner runner{stage, env()};
  EXPECT_EQ(marked_text(documents(runner, stage, 1).at(0), codec().tokenizer),
            R"(<|im_start|>user\nOne day.<|im_end|>\n<|im_start|>assistant\n»It rained.\nMuch.<|im_end|>«\n)");
}

TEST_F(PlainTextTest, ReadsTheShippedStories) {
  PlainText stage;
  stage.path.set(DFLASH_SOURCE_DIR "/configs/tiny/stories_heldout.txt.xz");
  stage.as_chat.set(PlainText::AsChat::kFirstSentence);
  stage.epochs.set(1);
  StageRunner runner{stage, env()};
  EXPECT_GE(documents(runner, stage, 1'000).size(), 490U);
  EXPECT_TRUE(runner.ended());
}

TEST_F(PlainTextTest, GoesOnWithTheSameItemsAfterLoad) {
  const std::string path = data_file("four.txt", "One. A.\n\nTwo. B.\n\nThree. C.\n\nFour. D.");
  const auto make = [&](PlainText& stage) { stage.path.set(path); };
  expect_same_after_load<PlainText>(make, env(), 3, 9);
}

TEST_F(PlainTextTest, RefusesLossOnAnAssistantThatIsNotThere) {
  PlainText stage;
  stage.path.set(data_file("one.txt", "One. A."));
  stage.loss_on.set(PlainText::LossOn::kAssistant);
  EXPECT_THAT([&] { StageRunner(stage, env()); },
              ThrowsMessage<UserError>(HasSubstr("assistant needs as_chat to be first_sentence")));
}

TEST_F(PlainTextTest, RejectsTextThatIsNotUtf8) {
  PlainText stage;
  stage.path.set(data_file("latin.txt", "caf\xE9 au lait"));
  EXPECT_THAT([&] { StageRunner(stage, env()); },
              ThrowsMessage<UserError>(HasSubstr("latin.txt:1: not UTF-8 at byte 3")));
}

TEST(SplitFirstSentence, CutsBehindTheMarkAndItsQuotes) {
  const auto parts = split_first_sentence("  \"Hi 3.5!\" she said.\nThen");
  ASSERT_TRUE(parts.has_value());
  EXPECT_EQ(parts->question, "\"Hi 3.5!\"");
  EXPECT_EQ(parts->answer, "she said.\nThen");
}

TEST(SplitFirstSentence, NeedsASecondSentence) {
  EXPECT_FALSE(split_first_sentence("Only one. ").has_value());
  EXPECT_FALSE(split_first_sentence("no mark").has_value());
  EXPECT_FALSE(split_first_sentence("").has_value());
}

}  // namespace
}  // namespace dflash
