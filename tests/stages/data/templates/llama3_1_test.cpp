// SPDX-License-Identifier: Apache-2.0
#include "stages/data/templates/llama3_1.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dflash {
namespace {

TEST(Llama31Chat, BeginsWithASystemTurnThatTellsTheDates) {
  const std::vector<ChatMessage> messages{{"system", " Be kind. "}, {"user", "q"}};
  const std::string dates =
      "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nCutting Knowledge Date: December 2023\n"
      "Today Date: 26 Jul 2024\n\n";
  const Llama31Chat renderer{"<|begin_of_text|>"};
  EXPECT_THAT(renderer.render(messages).text, testing::StartsWith(dates + "Be kind.<|eot_id|>"));
  EXPECT_THAT(renderer.render(std::span{messages}.subspan(1)).text, testing::StartsWith(dates + "<|eot_id|>"));
  EXPECT_EQ(renderer.render(messages).answers.size(), 2U);
}

TEST(Llama31Chat, SupervisesACallOfAToolAndTellsItsResultAsJson) {
  const std::vector<ChatMessage> messages{
      {"user", "q"}, {.role = "assistant", .content = "", .tool_calls = {{"f", R"({"x": 1})"}}}, {"tool", "a\"b"}};
  const RenderedChat chat = Llama31Chat{""}.render(messages);
  EXPECT_EQ(chat.text.substr(chat.answers[1].begin, chat.answers[1].end - chat.answers[1].begin),
            R"({"name": "f", "parameters": {"x": 1}}<|eot_id|>)");
  EXPECT_THAT(chat.text, testing::EndsWith("<|start_header_id|>ipython<|end_header_id|>\n\n\"a\\\"b\"<|eot_id|>"));
}

}  // namespace
}  // namespace dflash
