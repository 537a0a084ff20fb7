// SPDX-License-Identifier: Apache-2.0
#include "framework/report/behind_drops.h"

#include <gmock/gmock.h>

namespace dflash {
namespace {

TEST(StagesBehindDrops, AreThoseThatOnlySuchEdgesLeadTo) {
  RunRecord record;
  record.stages.resize(6);
  const auto edge = [&](std::size_t from, std::size_t to, std::int64_t drops) {
    record.edges.push_back({.name = "", .from_stage = from, .to_stage = to, .drops = drops});
  };
  edge(0, 1, 0);
  edge(0, 2, 5);
  edge(2, 3, 0);
  edge(3, 4, 0);
  edge(1, 4, 0);
  edge(2, 5, 0);
  edge(5, 2, 0);  // feedback
  EXPECT_THAT(stages_behind_drops(record), ::testing::ElementsAre(false, false, true, true, false, true));
}

}  // namespace
}  // namespace dflash
