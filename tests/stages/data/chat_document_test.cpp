// SPDX-License-Identifier: Apache-2.0
#include "stages/data/chat_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/json_syntax.h"
#include "stages/data/json_file.h"
#include "stages/data/templates/known_templates.h"
#include "stages/data/text_file.h"

namespace dflash {
namespace {

using testing::HasSubstr;

const TextCodec& tiny() {
  static const TextCodec codec = load_text_codec(DFLASH_SOURCE_DIR "/configs/tiny/target");
  return codec;
}

ChatRow row_of(const std::string& line) { return std::get<ChatRow>(parse_chat_row(line)); }

std::string supervised_text(const Document& document) {
  std::string text;
  for (std::size_t i = 0; i < document.ids.size(); ++i) {
    text += document.loss_mask[i] == 1 ? std::string{tiny().tokenizer.bytes_of(document.ids[i])} : "";
  }
  return text;
}

TEST(ChatDocument, IdsAndMaskEqualTheReferencePackages) {
  for (const nlohmann::json& expected : load_json(DFLASH_SOURCE_DIR "/tests/data/chat/tiny_chat_golden.json")) {
    ChatRow row;
    for (const nlohmann::json& turn : expected["messages"]) {
      row.messages.push_back({.role = turn["role"], .content = turn["content"]});
    }
    const Document document = chat_document(row, tiny(), 4096, LossTurns::kAll);
    EXPECT_EQ(nlohmann::json(document.ids), expected["ids"]);
    EXPECT_EQ(nlohmann::json(document.loss_mask), expected["loss_mask"]);
  }
}

TEST(FieldReports, D06IdsAndMaskOfThinkingChatsEqualTheReferencePackages) {
  const std::string path = DFLASH_SOURCE_DIR "/tests/data/chat/qwen3_ids_golden.json";
  const Json golden = parse_json(read_text_file(path), path);
  const auto renderer = known_template(std::stoull(golden["template_key"].get<std::string>(), nullptr, 16));
  ASSERT_NE(renderer, nullptr);
  const TextCodec codec{.tokenizer = Tokenizer::load(DFLASH_SOURCE_DIR "/tests/data/tokenizer/qwen_style.json"),
                        .chat = ChatTemplate{"", "here"}};
  for (const Json& expected : golden["cases"]) {
    std::vector<ChatMessage> messages;
    for (const Json& turn : expected["messages"]) {
      messages.push_back(read_turn(turn, messages.size() + 1));
    }
    const ChatRow row{.messages = {}, .tag = {}, .rendered = renderer->render(messages)};
    const Document document = chat_document(row, codec, 4096, LossTurns::kAll);
    EXPECT_EQ(Json(document.ids), expected["ids"]);
    EXPECT_EQ(Json(document.loss_mask), expected["loss_mask"]);
  }
}

std::string three_turns(const std::string& loss_of_second) {
  const std::string question = R"({"role":"user","content":"q"},)";
  return R"({"messages":[)" + question + R"({"role":"assistant","content":"one"},)" + question +
         R"({"role":"assistant","content":"two")" + loss_of_second + "}," + question +
         R"({"role":"assistant","content":"three"}]})";
}

TEST(FieldReports, L05SupervisesEveryAnswerOrTheLastOrTheChosen) {
  const ChatRow row = row_of(three_turns(""));
  EXPECT_EQ(supervised_text(chat_document(row, tiny(), 200, LossTurns::kAll)),
            "one<|im_end|>two<|im_end|>three<|im_end|>");
  EXPECT_EQ(supervised_text(chat_document(row, tiny(), 200, LossTurns::kLast)), "three<|im_end|>");
  for (const char* off : {R"(,"loss":0)", R"(,"loss":false)"}) {
    EXPECT_EQ(supervised_text(chat_document(row_of(three_turns(off)), tiny(), 200, LossTurns::kAll)),
              "one<|im_end|>three<|im_end|>");
  }
  EXPECT_THAT(std::get<BadRow>(parse_chat_row(three_turns(R"(,"loss":"x")"))).reason,
              HasSubstr("'loss' of turn 4 is \"x\"; allowed: true, false, 1, 0"));
}

TEST(ChatDocument, CutsOffOnTheRight) {
  const ChatRow row =
      row_of(R"({"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a b c d"}]})");
  const Document whole = chat_document(row, tiny(), 1000, LossTurns::kAll);
  const Document cut = chat_document(row, tiny(), 5, LossTurns::kAll);
  EXPECT_THAT(cut.ids, testing::ElementsAreArray(whole.ids.begin(), whole.ids.begin() + 5));
  EXPECT_THAT(cut.loss_mask, testing::ElementsAreArray(whole.loss_mask.begin(), whole.loss_mask.begin() + 5));
}

TEST(ChatDocument, TakesRenderedTextAndItsSpansAsTheyStand) {
  const ChatRow row = row_of(R"({"text":"é q A: one. Q: x A: two.","spans":[[6,11],[19,24]],"tag":"t"})");
  const Document all = chat_document(row, tiny(), 100, LossTurns::kAll);
  EXPECT_EQ(tiny().tokenizer.decode(all.ids), "é q A: one. Q: x A: two.");
  EXPECT_EQ(supervised_text(all), " one. two.");
  EXPECT_EQ(supervised_text(chat_document(row, tiny(), 100, LossTurns::kLast)), " two.");
  EXPECT_EQ(all.tag, "t");
  EXPECT_THAT(all.conversation, testing::IsEmpty());
}

TEST(ChatDocument, RenderedTextNeedsNoTemplate) {
  const TextCodec without{.tokenizer = Tokenizer::load(DFLASH_SOURCE_DIR "/configs/tiny/target/tokenizer.json"),
                          .chat = ChatTemplate{"{{ unknown }}", "here"}};
  const auto rendered = read_chat_row(R"({"text":"a b","spans":[[1,3]]})", without);
  ASSERT_TRUE(std::holds_alternative<ChatRow>(rendered));
  EXPECT_EQ(chat_document(std::get<ChatRow>(rendered), without, 10, LossTurns::kAll).ids,
            tiny().tokenizer.encode("a b"));
  EXPECT_THAT([&] { (void)read_chat_row(three_turns(""), without); },
              testing::ThrowsMessage<UserError>(HasSubstr("here: this chat template is not known")));
}

TEST(ChatDocument, AnAnchorNeedsTwoSupervisedTokensInARow) {
  EXPECT_TRUE(has_anchor({0, 1, 1}));
  EXPECT_FALSE(has_anchor({1, 0, 1}));
  EXPECT_FALSE(has_anchor({}));
}

}  // namespace
}  // namespace dflash
