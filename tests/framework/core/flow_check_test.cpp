// SPDX-License-Identifier: Apache-2.0
#include "framework/core/flow_check.h"

#include <gmock/gmock.h>

#include "tests/framework/number_stages.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// source -> join -> tee -> sink, and back from tee to join.
struct Loop {
  Loop(Capacity capacity, EdgeRules rules, Capacity forward = {}) {
    auto& source = graph.add<NumberSource>("source", 3);
    auto& join = graph.add<NumberJoin>("join");
    auto& tee = graph.add_function<std::int64_t, std::int64_t>("tee", [](std::int64_t value) { return value; });
    auto& sink = graph.add<NumberSink>("sink");
    graph.connect(source.out, join.left);
    graph.connect(join.out, tee.in, forward);
    graph.connect(tee.out, sink.in);
    graph.connect(tee.out, join.right, capacity, rules);
  }
  Graph graph;
};

TEST(FlowCheck, LeavesFeedbackOutOfTheOrder) {
  const Loop loop{{}, {.feedback = true, .initial = 1}};
  EXPECT_THAT(dependency_order(loop.graph), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(flow_mistakes(loop.graph), IsEmpty());
}

TEST(FlowCheck, RefusesACycleWithoutFeedback) {
  const Loop loop{{}, {}};
  EXPECT_THAT(flow_mistakes(loop.graph),
              ElementsAre(AllOf(HasSubstr("'join.out->tee.in', 'tee.out->join.right' form a cycle"),
                                HasSubstr("feedback true"), testing::Not(HasSubstr("sink")))));
}

TEST(FlowCheck, RefusesFeedbackThatLeadsNotBack) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 3);
  auto& join = graph.add<NumberJoin>("join");
  graph.connect(source.out, join.left);
  graph.connect(source.out, join.right, {}, {.feedback = true, .initial = 1});
  EXPECT_THAT(flow_mistakes(graph), ElementsAre(HasSubstr("'source.out->join.right' is no feedback")));
}

TEST(FlowCheck, RefusesAStageThatOnlyItselfFeeds) {
  Graph graph;
  graph.add<NumberSource>("source", 3);
  auto& echo = graph.add_function<std::int64_t, std::int64_t>("echo", [](std::int64_t value) { return value; });
  graph.connect(echo.out, echo.in, {.items = 2}, {.feedback = true, .initial = 1});
  EXPECT_THAT(flow_mistakes(graph), ElementsAre(HasSubstr("'echo' has feedback inputs only")));
}

TEST(FlowCheck, RefusesDropsBeforeAStageThatPairs) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 3);
  auto& middle = graph.add_function<std::int64_t, std::int64_t>("middle", [](std::int64_t value) { return value; });
  auto& join = graph.add<NumberJoin>("join");
  graph.connect(source.out, join.left);
  graph.connect(source.out, middle.in, {}, {.when_full = WhenFull::kDropOldest});
  graph.connect(middle.out, join.right);
  EXPECT_THAT(flow_mistakes(graph),
              ElementsAre(AllOf(HasSubstr("'source.out->middle.in' drops items"), HasSubstr("stage 'join'"))));
}

TEST(FlowCheck, WarnsOfDropsBeforeTheStepsAndOfFeedback) {
  struct Steps final : Stage {
    static StageInfo info() { return {.type = "steps", .summary = "", .drives_steps = true}; }
    Input<std::int64_t> in{*this, "in", "numbers"};
    void fire(Firing& firing) override { (void)firing.take(in); }
  };
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 3);
  auto& steps = graph.add<Steps>("steps");
  auto& watcher = graph.add<NumberSink>("watcher");
  graph.connect(source.out, steps.in, {}, {.when_full = WhenFull::kDropNewest});
  graph.connect(source.out, watcher.in, {}, {.when_full = WhenFull::kDropNewest});
  EXPECT_THAT(flow_warnings(graph),
              ElementsAre(AllOf(HasSubstr("'source.out->steps.in' drops"), HasSubstr("'steps'"))));
  const Loop loop{{}, {.feedback = true, .initial = 1}};
  EXPECT_THAT(flow_warnings(loop.graph), ElementsAre(HasSubstr("cannot be resumed")));
}

TEST(D1, ACycleInWhichNoStageCouldFireIsRefusedAndItsEdgesAreNamed) {
  const Loop empty{{.items = 1}, {.feedback = true}};
  EXPECT_THAT(flow_mistakes(empty.graph),
              ElementsAre(AllOf(HasSubstr("no stage could ever fire"), HasSubstr("'tee.out->join.right'"),
                                HasSubstr("'join.out->tee.in'"))));
  EXPECT_THAT(flow_mistakes(Loop({.items = 1}, {.feedback = true, .initial = 1}).graph), IsEmpty());
}

TEST(D1, AStageThatIsItsOwnNextNeedsRoomBesideItsInitialItems) {
  const auto self_fed = [](std::int64_t capacity) {
    Graph graph;
    auto& source = graph.add<NumberSource>("source", 3);
    auto& join = graph.add<NumberJoin>("join");
    graph.connect(source.out, join.left);
    graph.connect(join.out, join.right, {.items = capacity}, {.feedback = true, .initial = 1});
    return flow_mistakes(graph);
  };
  EXPECT_THAT(self_fed(1), ElementsAre(HasSubstr("more capacity than initial items")));
  EXPECT_THAT(self_fed(2), IsEmpty());
}

}  // namespace
}  // namespace dflash
