// SPDX-License-Identifier: Apache-2.0
#include "stages/data/templates/chatml_text.h"

#include <gtest/gtest.h>

namespace dflash {
namespace {

TEST(ChatMlText, NotesWhatTheModelWritesBehindWhatIsInjected) {
  ChatMlText text;
  text.add_preamble("system", "s");
  text.add_turn("user", "q");
  text.begin_answer("injected ");
  text.add("own");
  text.end_answer();
  const RenderedChat chat = text.take();
  EXPECT_EQ(chat.text,
            "<|im_start|>system\ns<|im_end|>\n<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\ninjected "
            "own<|im_end|>\n");
  ASSERT_EQ(chat.answers.size(), 2U);
  EXPECT_EQ(chat.text.substr(chat.answers[1].begin), "own<|im_end|>\n");
}

TEST(ChatMlText, ResultsOfToolsShareATurn) {
  const std::vector<ChatMessage> messages{{"tool", "a"}, {"tool", "b"}, {"assistant", "c"}};
  ChatMlText text;
  text.add_tool_result(messages, 0);
  text.add_tool_result(messages, 1);
  EXPECT_EQ(text.take().text,
            "<|im_start|>user\n<tool_response>\na\n</tool_response>\n<tool_response>\nb\n</tool_response><|im_end|>\n");
}

}  // namespace
}  // namespace dflash
