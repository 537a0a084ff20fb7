// SPDX-License-Identifier: Apache-2.0
#include "stages/data/templates/llama3.h"

#include <gtest/gtest.h>

namespace dflash {
namespace {

TEST(Llama3Chat, TrimsContentsAndSupervisesTheEndOfTurn) {
  const std::vector<ChatMessage> messages{{"user", " q \n"}, {"assistant", "\n a b \t"}};
  const RenderedChat chat = Llama3Chat{"<|begin_of_text|>"}.render(messages);
  EXPECT_EQ(chat.text,
            "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nq<|eot_id|><|start_header_id|>assistant"
            "<|end_header_id|>\n\na b<|eot_id|>");
  EXPECT_EQ(chat.text.substr(chat.answers[1].begin), "a b<|eot_id|>");
  EXPECT_EQ(chat.answers[0].begin, chat.answers[0].end);
}

TEST(Llama3Chat, EndsTurnsWithATokenOfItsOwn) { EXPECT_EQ(Llama3Chat{""}.turn_end(), "<|eot_id|>"); }

}  // namespace
}  // namespace dflash
