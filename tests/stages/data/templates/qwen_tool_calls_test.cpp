// SPDX-License-Identifier: Apache-2.0
#include "stages/data/templates/qwen_tool_calls.h"

#include <gtest/gtest.h>

namespace dflash {
namespace {

TEST(QwenToolCalls, StandOnLinesOfTheirOwn) {
  const ChatMessage message{.role = "assistant", .content = "", .tool_calls = {{"f", "{}"}, {"g", "{}"}}};
  const std::string calls =
      "<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call>\n"
      "<tool_call>\n{\"name\": \"g\", \"arguments\": {}}\n</tool_call>";
  EXPECT_EQ(qwen_tool_calls(message, false, StringArguments::kAsTheyStand), calls);
  EXPECT_EQ(qwen_tool_calls(message, true, StringArguments::kAsTheyStand), "\n" + calls);
}

TEST(QwenToolCalls, QuoteArgumentsThatAreAString) {
  const ChatMessage message{.role = "assistant", .content = "", .tool_calls = {{"f", R"({"a": "é"})", true}}};
  EXPECT_EQ(qwen_tool_calls(message, false, StringArguments::kAsTheyStand),
            "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": \"é\"}}\n</tool_call>");
  EXPECT_EQ(qwen_tool_calls(message, false, StringArguments::kQuoted),
            "<tool_call>\n{\"name\": \"f\", \"arguments\": \"{\\\"a\\\": \\\"é\\\"}\"}\n</tool_call>");
}

}  // namespace
}  // namespace dflash
