// SPDX-License-Identifier: Apache-2.0
#include "stages/data/templates/qwen3.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dflash {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string answer(const RenderedChat& chat, std::size_t turn) {
  return chat.text.substr(chat.answers[turn].begin, chat.answers[turn].end - chat.answers[turn].begin);
}

TEST(FieldReports, D06ThinkingOfEarlierTurnsIsRemoved) {
  const std::vector<ChatMessage> in_content{{"user", "1+1?"},
                                            {"assistant", "<think>\neasy\n</think>\n\n2"},
                                            {"user", "2+2?"},
                                            {"assistant", "<think>\nharder\n</think>\n\n4"}};
  const std::vector<ChatMessage> apart{{"user", "1+1?"},
                                       {.role = "assistant", .content = "2", .reasoning = "easy"},
                                       {"user", "2+2?"},
                                       {.role = "assistant", .content = "4", .reasoning = "harder"}};
  for (const std::vector<ChatMessage>& messages : {in_content, apart}) {
    const RenderedChat chat = Qwen3Chat{Thinking::kUnset}.render(messages);
    EXPECT_THAT(chat.text, Not(HasSubstr("easy")));
    EXPECT_EQ(answer(chat, 1), "2<|im_end|>");
    EXPECT_EQ(answer(chat, 3), "<think>\nharder\n</think>\n\n4<|im_end|>");
  }
}

TEST(FieldReports, D06AnInjectedEmptyThinkBlockIsNotTheModels) {
  const std::vector<ChatMessage> messages{{"user", "1+1?"}, {"assistant", "2"}};
  for (const Thinking thinking : {Thinking::kUnset, Thinking::kOn, Thinking::kOff}) {
    const RenderedChat chat = Qwen3Chat{thinking}.render(messages);
    EXPECT_THAT(chat.text, HasSubstr("<|im_start|>assistant\n<think>\n\n</think>\n\n2<|im_end|>"));
    EXPECT_EQ(answer(chat, 1), "2<|im_end|>");
  }
}

TEST(Qwen3Chat, AsksWithAnEmptyThinkBlockWhereThinkingIsSwitchedOff) {
  EXPECT_EQ(Qwen3Chat{Thinking::kUnset}.answer_start(), "<|im_start|>assistant\n");
  EXPECT_EQ(Qwen3Chat{Thinking::kOn}.answer_start(), "<|im_start|>assistant\n");
  EXPECT_EQ(Qwen3Chat{Thinking::kOff}.answer_start(), "<|im_start|>assistant\n<think>\n\n</think>\n\n");
}

TEST(Qwen3Chat, KeepsThinkingBetweenCallsOfToolsBehindTheLastQuestion) {
  const std::vector<ChatMessage> messages{
      {"user", "Weather?"},
      {.role = "assistant", .content = "", .reasoning = "look", .tool_calls = {{"f", "{}"}}},
      {"tool", "sun"},
      {"assistant", "Sun."}};
  const RenderedChat chat = Qwen3Chat{Thinking::kUnset}.render(messages);
  EXPECT_EQ(answer(chat, 1),
            "<think>\nlook\n</think>\n\n<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call><|im_end|>");
  EXPECT_EQ(answer(chat, 3), "Sun.<|im_end|>");
}

}  // namespace
}  // namespace dflash
