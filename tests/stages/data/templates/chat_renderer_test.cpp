// SPDX-License-Identifier: Apache-2.0
#include "stages/data/templates/chat_renderer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stages/data/templates/chatml.h"
#include "stages/data/templates/llama3_1.h"
#include "stages/data/templates/qwen2.h"
#include "stages/data/templates/qwen3.h"

namespace dflash {
namespace {

using testing::HasSubstr;

const ChatMessage kQuestion{"user", "q"};
const ChatMessage kThought{.role = "assistant", .content = "a", .reasoning = "r"};
const ChatMessage kCall{.role = "assistant", .content = "", .tool_calls = {{"f", "{}"}}};
const ChatMessage kCallAndText{.role = "assistant", .content = "a", .tool_calls = {{"f", "{}"}}};
const ChatMessage kTwoCalls{.role = "assistant", .content = "", .tool_calls = {{"f", "{}"}, {"g", "{}"}}};

std::string problem(const ChatRenderer& renderer, const ChatMessage& answer) {
  const std::vector<ChatMessage> messages{kQuestion, answer};
  return renderer.problem_of(messages).value_or("");
}

TEST(ChatRenderer, NamesATurnOfWhichTheTextWouldLeaveSomethingOut) {
  const ChatMl plain{""};
  EXPECT_THAT(problem(plain, kThought), HasSubstr("turn 2 has 'reasoning_content', which the target's chat template"));
  EXPECT_THAT(problem(plain, kCall), HasSubstr("turn 2 has 'tool_calls', which the target's chat template leaves out"));
  EXPECT_EQ(problem(plain, {.role = "assistant", .content = "a", .reasoning = ""}), "");
  EXPECT_EQ(problem(plain, {"tool", "t"}), "");
}

TEST(ChatRenderer, TakesWhatItsTemplateWrites) {
  const Qwen2Chat qwen2{"", StringArguments::kQuoted};
  EXPECT_EQ(problem(qwen2, kTwoCalls), "");
  EXPECT_THAT(problem(qwen2, kThought), HasSubstr("'reasoning_content'"));
  const Qwen3Chat qwen3{Thinking::kUnset};
  EXPECT_EQ(problem(qwen3, kThought), "");
  EXPECT_EQ(problem(qwen3, kCallAndText), "");
}

TEST(ChatRenderer, ACallOfAToolMayHaveToStandAlone) {
  const Llama31Chat llama{""};
  EXPECT_EQ(problem(llama, kCall), "");
  EXPECT_THAT(problem(llama, kTwoCalls),
              HasSubstr("turn 2 has several tool calls; the target's chat template takes one"));
  EXPECT_THAT(problem(llama, kCallAndText), HasSubstr("turn 2 has a call of a tool and content; "));
}

}  // namespace
}  // namespace dflash
