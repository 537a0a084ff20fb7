// SPDX-License-Identifier: Apache-2.0
// The report as JSON; see also acceptance_evaluation_test.cpp, which reads measured ones.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "stages/evaluate/acceptance_evaluation.h"

namespace dflash {
namespace {

TEST(AcceptanceJson, A04ListsEachSlotWithItsRatesAndCounts) {
  AcceptanceReport report{.block_size = 3, .new_tokens = 10};
  report.greedy = acceptance_statistics({{{1, 0}, {2, 1}, {3, 2}, {3, 2}}}, 3);
  EXPECT_EQ(to_json(report).at("slots"), Json::parse(R"([
    {"slot": 1, "offered": 4, "reached": 4, "accepted": 3, "marginal": 0.75, "conditional": 0.75},
    {"slot": 2, "offered": 4, "reached": 3, "accepted": 2, "marginal": 0.5, "conditional": 0.6666666666666666}])"));
}

TEST(AcceptanceJson, A03ListsTagsByName) {
  AcceptanceReport report{.block_size = 3, .new_tokens = 10};
  report.tags = {{.tag = "zh", .greedy = acceptance_statistics({{{3, 2}}}, 3)}};
  EXPECT_EQ(to_json(report).at("tags"), Json::parse(R"([
    {"tag": "zh", "tau": 3.0, "tau_of_prompts": 3.0, "accepted_drafts": 2.0, "prompts": 1, "rounds": 1}])"));
}

TEST(AcceptanceJson, T04WarnsBelowASpeedUpOfOneOnly) {
  AcceptanceReport report{.block_size = 3, .new_tokens = 10};
  report.cost = RoundCost{.draft_ms = 1.0, .verify_ms = 2.0, .plain_ms = 2.0, .context = 40.0, .speedup = 0.99};
  EXPECT_TRUE(to_json(report).contains("warnings"));
  report.cost->speedup = 1.0;
  EXPECT_FALSE(to_json(report).contains("warnings"));
}

}  // namespace
}  // namespace dflash
