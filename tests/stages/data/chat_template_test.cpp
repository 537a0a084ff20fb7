// SPDX-License-Identifier: Apache-2.0
#include "stages/data/chat_template.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "stages/data/json_file.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

const std::filesystem::path kTiny = DFLASH_SOURCE_DIR "/configs/tiny/target";

nlohmann::json golden() { return load_json(DFLASH_SOURCE_DIR "/tests/data/chat/tiny_chat_golden.json"); }

std::vector<ChatMessage> messages_of(const nlohmann::json& turns) {
  std::vector<ChatMessage> messages;
  for (const nlohmann::json& turn : turns) {
    messages.push_back({.role = turn["role"], .content = turn["content"]});
  }
  return messages;
}

std::filesystem::path new_folder(const std::string& name) {
  const std::filesystem::path folder = std::filesystem::path{testing::TempDir()} / name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

class ChatTemplateGolden : public testing::TestWithParam<std::size_t> {};

TEST_P(ChatTemplateGolden, RendersAsTheReferencePackageDoes) {
  const nlohmann::json expected = golden()[GetParam()];
  const ChatTemplate chat = ChatTemplate::load(kTiny);
  const std::vector<ChatMessage> messages = messages_of(expected["messages"]);
  const std::string text = expected["text"];
  const std::string prompt = expected["prompt"];
  EXPECT_EQ(chat.render(messages).text, text);
  EXPECT_EQ(chat.render_prompt(messages, false), text);
  EXPECT_EQ(chat.render_prompt(messages, true), prompt);
}

INSTANTIATE_TEST_SUITE_P(All, ChatTemplateGolden, testing::Range(std::size_t{0}, golden().size()));

TEST(ChatTemplate, AnswersAreTheContentWithTheEndOfTurn) {
  const std::vector<ChatMessage> messages{{"user", "q"}, {"assistant", "yes"}};
  const RenderedChat chat = ChatTemplate::load(kTiny).render(messages);
  EXPECT_EQ(chat.answers[0].begin, chat.answers[0].end);
  EXPECT_EQ(chat.text.substr(chat.answers[1].begin, chat.answers[1].end - chat.answers[1].begin), "yes<|im_end|>");
}

std::string tiny_text() { return load_json(kTiny / "tokenizer_config.json")["chat_template"]; }

TEST(ChatTemplate, PrefersTheFileOfItsOwn) {
  const std::filesystem::path folder = new_folder("own_file");
  std::ofstream{folder / "tokenizer_config.json"} << R"({"chat_template": "another"})";
  std::ofstream{folder / "chat_template.jinja"} << tiny_text() << '\n';
  EXPECT_EQ(ChatTemplate::load(folder).render_prompt({}, true), "<|im_start|>assistant\n");
}

TEST(ChatTemplate, TakesALineBreakForItsEscape) {
  std::string text = tiny_text();
  const std::size_t escape = text.find("\\n");
  ASSERT_NE(escape, std::string::npos);
  EXPECT_EQ(ChatTemplate(text.replace(escape, 2, "\n"), "here").refusal(), "");
  EXPECT_NE(ChatTemplate("\n" + text, "here").refusal(), "");
}

TEST(ChatTemplate, TakesTheDefaultOfSeveralNamedOnes) {
  const std::filesystem::path folder = new_folder("named");
  nlohmann::json named = nlohmann::json::array(
      {{{"name", "tool_use"}, {"template", "x"}}, {{"name", "default"}, {"template", tiny_text()}}});
  std::ofstream{folder / "tokenizer_config.json"} << nlohmann::json{{"chat_template", named}};
  EXPECT_EQ(ChatTemplate::load(folder).render_prompt({}, true), "<|im_start|>assistant\n");
}

TEST(ChatTemplate, RefusesToRenderAnUnknownOneByPlaceKeyAndBeginning) {
  const std::filesystem::path folder = new_folder("other");
  std::ofstream{folder / "tokenizer_config.json"} << R"({"chat_template": "{{ bos_token }}[INST]"})";
  const ChatTemplate chat = ChatTemplate::load(folder);
  const auto refuses = ThrowsMessage<UserError>(
      AllOf(HasSubstr("tokenizer_config.json: /chat_template: this chat template is not known"),
            HasSubstr("begins '{{ bos_token }}[INST]'"), HasSubstr("known: ChatML")));
  EXPECT_THAT([&] { (void)chat.render({}); }, refuses);
  EXPECT_THAT([&] { (void)chat.render_prompt({}, true); }, refuses);
  EXPECT_THAT([&] { (void)chat.problem_of({}); }, refuses);
  EXPECT_THAT([&] { (void)chat.turn_end(); }, refuses);
  EXPECT_NE(chat.hash(), 0U);
}

TEST(ChatTemplate, KnowsWhetherThinkingMeansSomething) {
  EXPECT_FALSE(ChatTemplate::load(kTiny, Thinking::kOff).knows_thinking());
  EXPECT_FALSE(ChatTemplate("{{ x }}", "here").knows_thinking());
}

TEST(FieldReports, D07AMissingTemplateIsRefusedWithBothPlacesNamed) {
  const std::filesystem::path folder = new_folder("none");
  const auto names_both = ThrowsMessage<UserError>(
      AllOf(HasSubstr("no chat template"), HasSubstr("chat_template.jinja"), HasSubstr("tokenizer_config.json")));
  EXPECT_THAT([&] { (void)ChatTemplate::load(folder).render({}); }, names_both);
  std::ofstream{folder / "tokenizer_config.json"} << "{}";
  EXPECT_THAT([&] { (void)ChatTemplate::load(folder).render({}); }, names_both);
}

TEST(FieldReports, D07ATemplateIsFoundInEitherFile) {
  const std::vector<ChatMessage> messages{{"user", "q"}, {"assistant", "a"}};
  const std::filesystem::path own = new_folder("only_own");
  std::ofstream{own / "chat_template.jinja"} << tiny_text();
  const std::filesystem::path config = new_folder("only_config");
  std::ofstream{config / "tokenizer_config.json"} << nlohmann::json{{"chat_template", tiny_text()}};
  EXPECT_EQ(ChatTemplate::load(own).render(messages).text, ChatTemplate::load(config).render(messages).text);
  EXPECT_EQ(ChatTemplate::load(own).hash(), ChatTemplate::load(config).hash());
}

}  // namespace
}  // namespace dflash
