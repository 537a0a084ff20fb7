// SPDX-License-Identifier: Apache-2.0
#include "stages/data/templates/chatml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dflash {
namespace {

TEST(ChatMl, GivesTheDefaultSystemTurnWhereAnotherBegins) {
  const ChatMl with_default{"Be kind."};
  const std::vector<ChatMessage> own{{"system", "Be short."}};
  const std::vector<ChatMessage> none{{"user", "q"}};
  EXPECT_EQ(with_default.render(own).text, "<|im_start|>system\nBe short.<|im_end|>\n");
  EXPECT_EQ(with_default.render(none).text, "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nq<|im_end|>\n");
  EXPECT_EQ(with_default.render({}).text, "");
  EXPECT_EQ(ChatMl{""}.render(none).text, "<|im_start|>user\nq<|im_end|>\n");
}

TEST(ChatMl, AnswersLieBehindTheDefaultSystemTurn) {
  const std::vector<ChatMessage> messages{{"user", "q"}, {"assistant", "yes"}};
  const RenderedChat chat = ChatMl{"Be kind."}.render(messages);
  EXPECT_EQ(chat.text.substr(chat.answers[1].begin), "yes<|im_end|>\n");
  EXPECT_EQ(chat.answers[1].end, chat.text.size() - 1);
}

}  // namespace
}  // namespace dflash
