// SPDX-License-Identifier: Apache-2.0
#include "stages/generate/dialogue.h"

#include <gmock/gmock.h>

namespace dflash {
namespace {

using testing::ElementsAre;

/// "u:hello" is a user's turn; roles by their first letter.
std::vector<ChatMessage> chat(const std::vector<std::string>& turns) {
  std::vector<ChatMessage> messages;
  for (const std::string& turn : turns) {
    const std::string role = turn[0] == 's'   ? "system"
                             : turn[0] == 'u' ? "user"
                             : turn[0] == 't' ? "tool"
                                              : "assistant";
    messages.push_back({.role = role, .content = turn.substr(2)});
  }
  return messages;
}

std::vector<std::string> turns(const std::vector<ChatMessage>& messages) {
  std::vector<std::string> all;
  for (const ChatMessage& message : messages) {
    all.push_back(message.role.substr(0, 1) + ":" + message.content);
  }
  return all;
}

/// Answers with "1", "2", ...; returns how many messages stood before each.
std::vector<std::size_t> answer_all(Dialogue& dialogue) {
  std::vector<std::size_t> asked;
  while (dialogue.next()) {
    asked.push_back(dialogue.messages().size());
    dialogue.answer(std::to_string(asked.size()));
  }
  return asked;
}

TEST(Dialogue, MakesEachAnswerFromTheNewOnesBeforeIt) {
  Dialogue dialogue{chat({"s:be kind", "u:a", "a:old", "u:b", "a:old"}), AnswerTurns::kAll};
  EXPECT_THAT(answer_all(dialogue), ElementsAre(2, 4));
  EXPECT_THAT(turns(dialogue.messages()), ElementsAre("s:be kind", "u:a", "a:1", "u:b", "a:2"));
}

TEST(Dialogue, AnswersAChatThatEndsWithTheUser) {
  Dialogue dialogue{chat({"u:a", "a:old", "u:b"}), AnswerTurns::kAll};
  EXPECT_THAT(answer_all(dialogue), ElementsAre(1, 3));
  EXPECT_THAT(turns(dialogue.messages()), ElementsAre("u:a", "a:1", "u:b", "a:2"));
}

TEST(Dialogue, MakesOnlyTheLastWhereThatIsAskedFor) {
  for (const std::vector<std::string>& given :
       {std::vector<std::string>{"u:a", "a:kept", "u:b", "a:old"}, {"u:a", "a:kept", "u:b"}}) {
    Dialogue dialogue{chat(given), AnswerTurns::kLast};
    EXPECT_THAT(answer_all(dialogue), ElementsAre(3));
    EXPECT_THAT(turns(dialogue.messages()), ElementsAre("u:a", "a:kept", "u:b", "a:1"));
  }
}

TEST(Dialogue, KeepsTheCallThatAToolAnswered) {
  Dialogue dialogue{chat({"u:a", "a:call", "t:result", "a:old"}), AnswerTurns::kAll};
  EXPECT_THAT(answer_all(dialogue), ElementsAre(3));
  EXPECT_THAT(turns(dialogue.messages()), ElementsAre("u:a", "a:call", "t:result", "a:1"));
}

TEST(Dialogue, OfNothingHasNoAnswer) {
  Dialogue dialogue{{}, AnswerTurns::kLast};
  EXPECT_FALSE(dialogue.next());
}

}  // namespace
}  // namespace dflash
