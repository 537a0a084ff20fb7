// SPDX-License-Identifier: Apache-2.0
#include "stages/data/templates/qwen2.h"

#include <gtest/gtest.h>

namespace dflash {
namespace {

TEST(Qwen2Chat, SupervisesTextAndCallsOfATurnThatCallsTools) {
  const std::vector<ChatMessage> messages{
      {"user", "q"}, {.role = "assistant", .content = "I look.", .tool_calls = {{"f", "{}"}}}, {"tool", "r"}};
  const RenderedChat chat = Qwen2Chat{"", StringArguments::kQuoted}.render(messages);
  EXPECT_EQ(chat.text.substr(chat.answers[1].begin, chat.answers[1].end - chat.answers[1].begin),
            "I look.\n<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call><|im_end|>");
  EXPECT_EQ(chat.answers.size(), messages.size());
}

}  // namespace
}  // namespace dflash
