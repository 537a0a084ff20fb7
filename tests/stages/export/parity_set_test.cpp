// SPDX-License-Identifier: Apache-2.0
#include "stages/export/parity_set.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "tests/stages/evaluate/scripted_models.h"

namespace dflash {
namespace {

DecodeModels scripted_models() {
  return {.target = [](bool) { return std::make_unique<test::ScriptedTarget>(); },
          .drafter = [] { return std::make_unique<test::ScriptedDrafter>([](std::int64_t) { return false; }); }};
}

const std::vector<std::vector<std::int64_t>> kPrompts{{1, 2, 3}, {4}, {5, 6}};

TEST(ParitySet, HoldsAnswersAcceptedLengthsAndFirstDrafts) {
  const Json parity = parity_set(scripted_models(), kPrompts, {.new_tokens = 20, .block_size = 8});
  const Json& first = parity.at("prompts")[0];
  EXPECT_EQ(first.at("accepted"), Json::parse("[8, 8, 3]"));
  EXPECT_EQ(first.at("ids"), Json::parse("[1, 2, 3]"));
  const auto tokens = first.at("tokens").get<std::vector<std::int64_t>>();
  EXPECT_EQ(first.at("first_draft").get<std::vector<std::int64_t>>(),
            std::vector<std::int64_t>(tokens.begin() + 1, tokens.begin() + 8));
  EXPECT_DOUBLE_EQ(parity.at("tau").get<double>(), 19.0 / 3.0);
}

TEST(ParitySet, KeepsFirstDraftsWithTheirPromptsWhereOneEndsWithThePrefill) {
  const Json whole = parity_set(scripted_models(), kPrompts, {.new_tokens = 20, .block_size = 8});
  const std::int64_t stop = whole.at("prompts")[0].at("tokens")[0];
  const Json parity = parity_set(scripted_models(), kPrompts, {.new_tokens = 20, .stop_ids = {stop}, .block_size = 8});
  EXPECT_EQ(parity.at("prompts")[0].at("first_draft"), Json::array());
  EXPECT_EQ(parity.at("prompts")[2].at("first_draft"), whole.at("prompts")[2].at("first_draft"));
}

TEST(ParitySet, HasNoFigureWithoutPrompts) {
  const Json parity = parity_set(scripted_models(), {}, {.new_tokens = 20, .block_size = 8});
  EXPECT_TRUE(parity.at("tau").is_null());
  EXPECT_TRUE(parity.at("prompts").empty());
}

TEST(ParitySet, IsGreedy) {
  EXPECT_THROW(parity_set(scripted_models(), kPrompts, {.block_size = 8, .choice = {.temperature = 1.0}}),
               InternalError);
}

}  // namespace
}  // namespace dflash
