// SPDX-License-Identifier: Apache-2.0
#include "stages/data/templates/known_templates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "framework/core/json_syntax.h"
#include "stages/data/chat_turns.h"
#include "stages/data/text_file.h"

namespace dflash {
namespace {

TemplateVariables variables_of(const Json& expected) {
  TemplateVariables variables{.bos_token = expected.value("bos_token", "")};
  if (expected.contains("enable_thinking")) {
    variables.thinking = expected["enable_thinking"].get<bool>() ? Thinking::kOn : Thinking::kOff;
  }
  return variables;
}

/// A golden case as our renderer would have it.
Json rendered(const ChatRenderer& renderer, const Json& expected) {
  std::vector<ChatMessage> messages;
  for (const Json& turn : expected["messages"]) {
    messages.push_back(read_turn(turn, messages.size() + 1));
  }
  const RenderedChat chat = renderer.render(messages);
  Json made = expected;
  made["text"] = chat.text;
  made["prompt_end"] = renderer.answer_start();
  made["answers"] = Json::array();
  for (const TokenSpan& span : chat.answers) {
    if (span.begin < span.end) {
      made["answers"].push_back({span.begin, span.end});
    }
  }
  return made;
}

class KnownTemplates : public testing::TestWithParam<const char*> {};

TEST_P(KnownTemplates, RenderAsTheReferencePackageRendersThePublishedText) {
  const std::string path = std::string{DFLASH_SOURCE_DIR "/tests/data/chat/"} + GetParam() + "_template_golden.json";
  const Json golden = parse_json(read_text_file(path), path);
  const std::uint64_t key = std::stoull(golden["template_key"].get<std::string>(), nullptr, 16);
  for (const Json& expected : golden["cases"]) {
    const auto renderer = known_template(key, variables_of(expected));
    ASSERT_NE(renderer, nullptr);
    EXPECT_EQ(rendered(*renderer, expected), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(All, KnownTemplates,
                         testing::Values("chatml", "smollm2", "qwen2_5", "qwen3", "qwen3_first", "qwen3_instruct",
                                         "llama3", "llama3_1"),
                         [](const auto& test) { return std::string{test.param}; });

TEST(KnownTemplate, IsNullWhereTheKeyIsUnknown) { EXPECT_EQ(known_template(1), nullptr); }

TEST(KnownTemplate, NamesEachOnce) {
  EXPECT_EQ(known_template_names(),
            "ChatML without a default system turn, SmolLM2, Qwen2.5, Qwen3, Qwen3 Instruct 2507, Llama 3, Llama 3.1");
}

}  // namespace
}  // namespace dflash
