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

TEST(ChatTemplate, PrefersTheFileOfItsOwn) {
  const std::filesystem::path folder = new_folder("own_file");
  const nlohmann::json config = load_json(kTiny / "tokenizer_config.json");
  std::ofstream{folder / "tokenizer_config.json"} << R"({"chat_template": "another"})";
  std::ofstream{folder / "chat_template.jinja"} << config["chat_template"].get<std::string>() << '\n';
  EXPECT_EQ(ChatTemplate::load(folder).render_prompt({}, true), "<|im_start|>assistant\n");
}

TEST(ChatTemplate, TakesALineBreakForItsEscape) {
  std::string text = load_json(kTiny / "tokenizer_config.json")["chat_template"];
  const std::size_t escape = text.find("\\n");
  ASSERT_NE(escape, std::string::npos);
  EXPECT_NO_THROW(ChatTemplate(text.replace(escape, 2, "\n"), "here"));
  EXPECT_THROW(ChatTemplate("\n" + text, "here"), UserError);
}

TEST(ChatTemplate, TakesTheDefaultOfSeveralNamedOnes) {
  const std::filesystem::path folder = new_folder("named");
  const nlohmann::json text = load_json(kTiny / "tokenizer_config.json")["chat_template"];
  nlohmann::json named =
      nlohmann::json::array({{{"name", "tool_use"}, {"template", "x"}}, {{"name", "default"}, {"template", text}}});
  std::ofstream{folder / "tokenizer_config.json"} << nlohmann::json{{"chat_template", named}};
  EXPECT_EQ(ChatTemplate::load(folder).render_prompt({}, true), "<|im_start|>assistant\n");
}

TEST(ChatTemplate, RefusesAnotherTemplateByPlaceAndBeginning) {
  const std::filesystem::path folder = new_folder("other");
  std::ofstream{folder / "tokenizer_config.json"} << R"({"chat_template": "{{ bos_token }}[INST]"})";
  EXPECT_THAT([&] { ChatTemplate::load(folder); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("tokenizer_config.json: /chat_template"),
                                             HasSubstr("begins '{{ bos_token }}[INST]'"), HasSubstr("known: ChatML"))));
}

TEST(ChatTemplate, NamesBothPlacesWhereThereIsNone) {
  const std::filesystem::path folder = new_folder("none");
  const auto names_both =
      ThrowsMessage<UserError>(AllOf(HasSubstr("chat_template.jinja"), HasSubstr("tokenizer_config.json")));
  EXPECT_THAT([&] { ChatTemplate::load(folder); }, names_both);
  std::ofstream{folder / "tokenizer_config.json"} << "{}";
  EXPECT_THAT([&] { ChatTemplate::load(folder); }, names_both);
}

}  // namespace
}  // namespace dflash
