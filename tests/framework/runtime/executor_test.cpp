// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/executor.h"

#include <numeric>

#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "tests/framework/number_stages.h"

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;

std::vector<std::int64_t> numbers_up_to(std::int64_t count) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST(Executor, RunsAChainToItsEndInOrder) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 1000);
  auto& middle = graph.add_function<std::int64_t, std::int64_t>("middle", [](std::int64_t value) { return value + 1; });
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, middle.in);
  graph.connect(middle.out, sink.in);
  Executor executor{graph, {}};
  const RunRecord record = executor.run();
  EXPECT_EQ(record.outcome.code, 0) << record.outcome.text;
  std::vector<std::int64_t> expected = numbers_up_to(1001);
  expected.erase(expected.begin());
  EXPECT_THAT(sink.seen, ElementsAreArray(expected));
  EXPECT_THAT(record.errors, IsEmpty());
}

TEST(Executor, DeliversAMillionItemsEach) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 1'000'000);
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, sink.in);
  Executor executor{graph, {}};
  const RunRecord record = executor.run();
  EXPECT_EQ(record.outcome.code, 0) << record.outcome.text;
  EXPECT_EQ(sink.seen, numbers_up_to(1'000'000));
  EXPECT_EQ(record.edges.at(0).items, 1'000'000);
  EXPECT_LE(record.edges.at(0).max_fill, 4);
}

TEST(Executor, DrainsTheRemainderAtTheEndOfTheStream) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 7);
  auto& packer = graph.add<NumberPacker>("packer", 3);
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, packer.in);
  graph.connect(packer.out, sink.in);
  Executor executor{graph, {}};
  EXPECT_EQ(executor.run().outcome.code, 0);
  EXPECT_THAT(sink.seen, ElementsAre(3, 12, 6));
}

}  // namespace
}  // namespace dflash
