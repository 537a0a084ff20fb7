// SPDX-License-Identifier: Apache-2.0
#include "stages/session/heldout_prompts.h"

#include <fstream>

#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::ThrowsMessage;

class HeldoutPrompts : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& text) {
    const std::filesystem::path path = folder_.path() / "rows.jsonl";
    std::ofstream{path} << text;
    return path;
  }
  TemporaryFolder folder_;
  TextCodec codec_ = load_text_codec(DFLASH_SOURCE_DIR "/configs/tiny/target");
};

constexpr const char* kRow =
    R"({"messages": [{"role": "user", "content": "Tom saw a cat."}, {"role": "assistant", "content": "It was big."}]})";

TEST_F(HeldoutPrompts, CutsAConversationWhereItsAnswerBegins) {
  const HeldoutPrompt prompt = read_heldout_prompts(file(std::string{kRow} + "\n"), codec_, 1).at(0);
  const auto text = [&](const std::vector<std::int64_t>& ids) {
    return codec_.tokenizer.decode(std::vector<std::int32_t>(ids.begin(), ids.end()), false);
  };
  EXPECT_EQ(text(prompt.ids), "<|im_start|>user\nTom saw a cat.<|im_end|>\n<|im_start|>assistant\n");
  EXPECT_THAT(text(prompt.answer), HasSubstr("It was big.<|im_end|>"));
  EXPECT_EQ(prompt.text, "Tom saw a cat.");
}

TEST_F(HeldoutPrompts, CutsRenderedTextWhereItsLastSpanBegins) {
  const auto path = file(R"({"text":"Q: one A: two Q: three A: four","spans":[[9,13],[25,30]]})"
                         "\n");
  const HeldoutPrompt prompt = read_heldout_prompts(path, codec_, 1).at(0);
  const auto text = [&](const std::vector<std::int64_t>& ids) {
    return codec_.tokenizer.decode(std::vector<std::int32_t>(ids.begin(), ids.end()), false);
  };
  EXPECT_EQ(text(prompt.ids), "Q: one A: two Q: three A:");
  EXPECT_EQ(text(prompt.answer), " four");
  EXPECT_EQ(prompt.text, "Q: one A: two Q: three A:");
}

TEST_F(HeldoutPrompts, RefusesARowOfWhichTheTemplateWouldLeaveSomethingOut) {
  const auto path =
      file(R"({"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a","reasoning_content":"r"}]})"
           "\n");
  EXPECT_THAT([&] { read_heldout_prompts(path, codec_, 1); },
              ThrowsMessage<UserError>(HasSubstr("rows.jsonl:1: turn 2 has 'reasoning_content'")));
}

TEST_F(HeldoutPrompts, TakesEachPromptOnceAndAllWhereThereAreFewer) {
  const std::string other =
      R"({"messages": [{"role": "user", "content": "Ann lost a ball."}, {"role": "assistant", "content": "Sad."}]})";
  const auto path = file(std::string{kRow} + "\n" + kRow + "\n" + other + "\n");
  const std::vector<HeldoutPrompt> prompts = read_heldout_prompts(path, codec_, 2);
  EXPECT_EQ(prompts.at(1).text, "Ann lost a ball.");
  EXPECT_THAT(read_heldout_prompts(path, codec_, 3), SizeIs(2));
}

TEST_F(HeldoutPrompts, A03KeepsTheTagOfARow) {
  const std::string tagged =
      R"({"tag": "zh", "messages": [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Ho."}]})";
  const auto path = file(std::string{kRow} + "\n" + tagged + "\n");
  EXPECT_EQ(read_heldout_prompts(path, codec_, 2).at(1).tag, "zh");
  EXPECT_EQ(read_heldout_prompts(path, codec_, 2).at(0).tag, "");
}

TEST_F(HeldoutPrompts, NamesThePlaceOfABadRow) {
  std::string rows{kRow};
  rows += "\n{\"messages\": 3}\n";
  const auto path = file(rows);
  EXPECT_THAT([&] { read_heldout_prompts(path, codec_, 2); }, ThrowsMessage<UserError>(HasSubstr("rows.jsonl:2")));
}

TEST_F(HeldoutPrompts, GathersTheAnswersEightGrams) {
  EXPECT_GT(answer_ngrams(DFLASH_SOURCE_DIR "/configs/tiny/heldout.jsonl", codec_).size(), 1000);
}

TEST_F(HeldoutPrompts, LeavesOutTrainingRowsThatTrainingRejects) {
  const std::string long_row =
      R"({"messages": [{"role": "user", "content": "Go on."}, {"role": "assistant", "content": "One two three four )"
      R"(five six seven eight nine ten eleven twelve."}]})";
  const std::int64_t sound = answer_ngrams(file(long_row + "\n"), codec_).size();
  EXPECT_GT(sound, 0);
  EXPECT_EQ(answer_ngrams(file(long_row + "\n{\"messages\": 3}\n"), codec_).size(), sound);
}

TEST_F(HeldoutPrompts, ReadsDocumentsFromTextAndFromChats) {
  EXPECT_THAT(read_heldout_documents(DFLASH_SOURCE_DIR "/configs/tiny/stories_heldout.txt.xz", codec_, 5, 64),
              SizeIs(5));
  EXPECT_THAT(read_heldout_documents(DFLASH_SOURCE_DIR "/configs/tiny/heldout.jsonl", codec_, 5, 64), SizeIs(5));
}

}  // namespace
}  // namespace dflash
