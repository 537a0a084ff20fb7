// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/stamp_cost.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "framework/runtime/executor.h"
#include "tests/framework/test_stages.h"

namespace dflash {
namespace {

constexpr std::int64_t kFirings = 100;

RunRecord run_of(bool instrument) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", kFirings);
  auto& relay = graph.add<SleepyStage>("relay", std::chrono::microseconds{0});
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, relay.in);
  graph.connect(relay.out, sink.in);
  return Executor{graph, {.instrument = instrument}}.run();
}

/// A stage's firings and the items of the edge before it each have one entry where they are summed and one in the log,
/// and a firing's items are taken by the look at the clock that begins it.
void expect_one_entry_each(const RunRecord& record, std::size_t stage, std::size_t edge) {
  EXPECT_EQ(record.stages.at(stage).service.count(), kFirings);
  EXPECT_EQ(record.edges.at(edge).residence.count(), kFirings);
  const std::vector<FiringEvent>& firings = record.timeline.stages.at(stage).firings;
  const std::vector<ItemEvent>& items = record.timeline.edges.at(edge).items;
  EXPECT_EQ(std::ranges::count_if(firings, [](const FiringEvent& firing) { return firing.number > 0; }), kFirings);
  ASSERT_EQ(std::ssize(items), kFirings);
  for (const ItemEvent& item : items) {
    EXPECT_EQ(item.popped, std::ranges::find(firings, item.to_firing, &FiringEvent::number)->begin);
  }
}

TEST(FiringStamps, LeaveWhatTheFiringsOfARunLeave) {
  FiringStamps stamps;
  for (std::int64_t number = 1; number <= kFirings; ++number) {
    stamps.fire(number);
  }
  expect_one_entry_each(stamps.record(), 0, 0);
  expect_one_entry_each(run_of(true), 1, 0);
}

TEST(StampCost, IsThatOfRunsThatAreMeasured) {
  EXPECT_GT(run_of(true).stamp_cost_ns, 0);
  EXPECT_EQ(run_of(false).stamp_cost_ns, 0);
}

}  // namespace
}  // namespace dflash
