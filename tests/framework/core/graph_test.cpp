// SPDX-License-Identifier: Apache-2.0
#include "framework/core/graph.h"

#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "tests/framework/number_stages.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;
using testing::UnorderedElementsAre;

struct Word {
  std::string text;
};

struct WordSink final : Stage {
  static StageInfo info() { return {.type = "word_sink", .summary = "takes words"}; }
  Input<Word> in{*this, "in", "words"};
  void fire(Firing& firing) override { (void)firing.take(in); }
};

struct LeakyBuffer final : Buffer {
  static StageInfo info() { return {.type = "leaky_buffer", .summary = "has no output"}; }
  Input<std::int64_t> in{*this, "in", "numbers"};
  bool has_room() const override { return false; }
  bool has_ready(bool) const override { return false; }
  void put(Item) override {}
  Item pop() override { return {}; }
  std::int64_t size() const override { return 0; }
  std::int64_t capacity() const override { return 1; }
};

}  // namespace

template <>
struct ItemType<Word> {
  static constexpr std::string_view kName = "word";
};

namespace {

TEST(Graph, HasNoProblemWhereEverythingIsConnected) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 3);
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(source.out, sink.in, {.items = 8});
  EXPECT_THAT(graph.problems(), IsEmpty());
  EXPECT_THAT(graph.warnings(), IsEmpty());
  EXPECT_EQ(graph.edges().at(0).name, "source.out->sink.in");
  EXPECT_EQ(graph.edges().at(0).capacity.items, 8);
}

TEST(Graph, OrdersStagesFromSourcesToSinks) {
  Graph graph;
  auto& sink = graph.add<NumberSink>("sink");
  auto& middle = graph.add_function<std::int64_t, std::int64_t>("middle", [](std::int64_t value) { return value; });
  auto& source = graph.add<NumberSource>("source", 3);
  graph.connect(middle.out, sink.in);
  graph.connect(source.out, middle.in);
  EXPECT_THAT(graph.topological_order(), ElementsAre(2, 1, 0));
}

TEST(Graph, RefusesTheSameNameTwice) {
  Graph graph;
  graph.add<NumberSink>("sink");
  EXPECT_THAT([&] { graph.add<NumberSource>("sink", 1); }, ThrowsMessage<UserError>(HasSubstr("named 'sink'")));
}

TEST(Graph, RefusesToConnectDifferentTypes) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 1);
  auto& sink = graph.add<WordSink>("sink");
  EXPECT_THAT(
      [&] { graph.connect_ports(source.out, sink.in, {}); },
      ThrowsMessage<UserError>(AllOf(HasSubstr("source.out->sink.in"), HasSubstr("'number'"), HasSubstr("'word'"))));
}

TEST(Graph, RefusesASecondEdgeIntoAnInput) {
  Graph graph;
  auto& one = graph.add<NumberSource>("one", 1);
  auto& two = graph.add<NumberSource>("two", 1);
  auto& sink = graph.add<NumberSink>("sink");
  graph.connect(one.out, sink.in);
  EXPECT_THAT([&] { graph.connect(two.out, sink.in); }, ThrowsMessage<UserError>(HasSubstr("has an edge already")));
}

TEST(Graph, RefusesWhatIsWrongWithAnEdgeByItsName) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 1);
  auto& sink = graph.add<NumberSink>("sink");
  EXPECT_THAT([&] { graph.connect(source.out, sink.in, {.items = 0}); },
              ThrowsMessage<UserError>(HasSubstr("edge 'source.out->sink.in': capacity in items is 0; at least 1")));
}

TEST(Graph, ReportsAllProblemsAtOnce) {
  Graph graph;
  auto& first = graph.add<NumberJoin>("first");
  auto& second = graph.add_function<std::int64_t, std::int64_t>("second", [](std::int64_t value) { return value; });
  auto& behind = graph.add<NumberSink>("behind");
  graph.connect(first.out, second.in);
  graph.connect(second.out, first.left);
  graph.connect(second.out, behind.in);
  graph.add<LeakyBuffer>("buffer");
  const StageInfo info{.type = "a", .summary = "", .drives_steps = true};
  Placement twice;
  twice.replicas = 2;
  graph.add_stage("twin", info, std::make_unique<NumberSink>(), twice);
  graph.add_stage("other", info, std::make_unique<NumberSink>());
  EXPECT_THAT(graph.problems(),
              UnorderedElementsAre(
                  HasSubstr("input 'first.right'"), HasSubstr("input 'buffer.in'"), HasSubstr("input 'twin.in'"),
                  HasSubstr("input 'other.in'"), HasSubstr("this one has 1 and 0"), HasSubstr("no source"),
                  HasSubstr("'twin': found 2, allowed: 1"), HasSubstr("'twin', 'other' all drive steps"),
                  AllOf(HasSubstr("'first.out->second.in', 'second.out->first.left' form a cycle"),
                        testing::Not(HasSubstr("behind")))));
}

TEST(Graph, WarnsOfOutputsThatNobodyTakes) {
  Graph graph;
  graph.add<NumberSource>("source", 1);
  EXPECT_THAT(graph.problems(), IsEmpty());
  EXPECT_THAT(graph.warnings(), ElementsAre(HasSubstr("'source.out' (number) has no edge")));
}

TEST(Graph, WarnsThatARunWithFeedbackCannotBeResumed) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 1);
  auto& join = graph.add<NumberJoin>("join");
  graph.connect(source.out, join.left);
  graph.connect(join.out, join.right, {.items = 2}, {.feedback = true, .initial = 1});
  EXPECT_THAT(graph.problems(), IsEmpty());
  EXPECT_THAT(graph.warnings(), ElementsAre(HasSubstr("'join.out->join.right' are in no checkpoint")));
}

TEST(Graph, FindsStagesByName) {
  Graph graph;
  auto& sink = graph.add<NumberSink>("sink");
  EXPECT_EQ(graph.find("sink"), &graph.vertex_of(sink));
  EXPECT_EQ(graph.find("other"), nullptr);
}

}  // namespace
}  // namespace dflash
