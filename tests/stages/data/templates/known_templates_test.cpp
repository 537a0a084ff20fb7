// SPDX-License-Identifier: Apache-2.0
#include "stages/data/templates/known_templates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "stages/data/json_file.h"

namespace dflash {
namespace {

std::vector<ChatMessage> messages_of(const nlohmann::json& turns) {
  std::vector<ChatMessage> messages;
  for (const nlohmann::json& turn : turns) {
    messages.push_back({.role = turn["role"], .content = turn["content"]});
  }
  return messages;
}

/// What our renderer makes of the conversation of a golden case, in the form of that case.
nlohmann::json rendered(const ChatRenderer& renderer, const nlohmann::json& expected) {
  const RenderedChat chat = renderer.render(messages_of(expected["messages"]));
  nlohmann::json answers = nlohmann::json::array();
  for (const TokenSpan& span : chat.answers) {
    if (span.begin < span.end) {
      answers.push_back({span.begin, span.end});
    }
  }
  return {{"messages", expected["messages"]},
          {"text", chat.text},
          {"prompt_end", renderer.answer_start()},
          {"answers", answers}};
}

class KnownTemplates : public testing::TestWithParam<const char*> {};

TEST_P(KnownTemplates, RenderAsTheReferencePackageRendersThePublishedText) {
  const nlohmann::json golden =
      load_json(std::string{DFLASH_SOURCE_DIR "/tests/data/chat/"} + GetParam() + "_template_golden.json");
  const auto renderer = known_template(std::stoull(golden["template_key"].get<std::string>(), nullptr, 16));
  ASSERT_NE(renderer, nullptr);
  for (const nlohmann::json& expected : golden["cases"]) {
    EXPECT_EQ(rendered(*renderer, expected), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(All, KnownTemplates, testing::Values("chatml", "smollm2"),
                         [](const auto& test) { return std::string{test.param}; });

TEST(KnownTemplate, IsNullWhereTheKeyIsUnknown) { EXPECT_EQ(known_template(1), nullptr); }

}  // namespace
}  // namespace dflash
