// SPDX-License-Identifier: Apache-2.0
#include "framework/core/stage_check.h"

#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "framework/core/stage_runner.h"
#include "tests/support/example_stages.h"

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::ThrowsMessage;

struct ExamplePart {};

/// Says what its check is told to.
struct Checked final : Transform<ExampleNumber, ExampleNumber> {
  Checked() : Transform{"in", "", "out", ""} {}
  static StageInfo info() { return {.type = "checked", .summary = "says what it is told to"}; }
  Param<std::vector<std::int64_t>> sizes{*this, "loss.sizes", {.value = {}}};
  std::function<void(StageCheck&)> says = [](StageCheck&) {};
  void check(StageCheck& check) const override { says(check); }
  ExampleNumber transform(ExampleNumber number, Firing&) override { return number; }
};

class StageCheckTest : public testing::Test {
 protected:
  StageCheckTest() {
    graph_.connect(first_.numbers(), second_.in);
    graph_.connect(second_.out, third_.in);
  }
  void check() {
    check_stages(
        graph_, [&](const Graph::Vertex& vertex) { return StageEnv{.name = vertex.name, .resources = &resources_}; },
        mistakes_);
  }
  struct Counter final : Source<ExampleNumber> {
    Counter() : Source{"numbers", ""} {}
    static StageInfo info() { return {.type = "counter", .summary = ""}; }
    const Output<ExampleNumber>& numbers() const { return out; }
    std::optional<ExampleNumber> next(Firing&) override { return std::nullopt; }
  };

  Graph graph_;
  Counter& first_ = graph_.add<Counter>("first");
  Checked& second_ = graph_.add<Checked>("second");
  Checked& third_ = graph_.add<Checked>("third");
  Resources resources_;
  Diagnostics diagnostics_;
  GraphMistakes mistakes_{diagnostics_};
};

TEST_F(StageCheckTest, NamesTheParameterByItsPointer) {
  second_.says = [&](StageCheck& check) { check.add(second_.sizes, "found 1"); };
  check();
  EXPECT_THAT(diagnostics_.mistakes(), ElementsAre("/stages/second/params/loss/sizes: found 1"));
}

TEST_F(StageCheckTest, ShowsTheStagesUpstreamNearestFirst) {
  std::vector<std::string> names;
  third_.says = [&](StageCheck& check) {
    for (const Graph::Vertex* vertex : check.upstream()) {
      names.push_back(vertex->name);
    }
  };
  check();
  EXPECT_THAT(names, ElementsAre("second", "first"));
}

TEST_F(StageCheckTest, NamesTheSectionOfAResourceThatIsMissing) {
  second_.says = [&](StageCheck& check) { EXPECT_EQ(check.needs<ExamplePart>("models.target"), nullptr); };
  check();
  EXPECT_THAT(diagnostics_.mistakes(),
              ElementsAre("/stages/second: needs the section models.target, which the graph has not"));
}

TEST_F(StageCheckTest, DoesNotMissWhatAMistakeElsewhereKeptFromBeingMade) {
  mistakes_.add("/models/target/path", "no such folder");
  second_.says = [&](StageCheck& check) { EXPECT_EQ(check.needs<ExamplePart>("models.target"), nullptr); };
  check();
  EXPECT_THAT(diagnostics_.mistakes(), testing::SizeIs(1));
}

TEST_F(StageCheckTest, LeavesStagesWithAMistakeAlone) {
  mistakes_.add("/stages/second/params/x", "unknown");
  second_.says = [](StageCheck&) { FAIL() << "was checked"; };
  check();
}

TEST_F(StageCheckTest, TakesAThrownUsersErrorAsAMistakeOfTheStage) {
  second_.says = [](StageCheck&) { throw UserError{"cannot be read"}; };
  check();
  EXPECT_THAT(diagnostics_.mistakes(), ElementsAre("/stages/second: cannot be read"));
}

TEST_F(StageCheckTest, AsksForNumbersThatAscend) {
  second_.says = [&](StageCheck& check) { check.require_ascending(second_.sizes); };
  second_.sizes.set({1, 5, 9});
  check();
  EXPECT_THAT(diagnostics_.mistakes(), IsEmpty());
  for (const std::vector<std::int64_t>& wrong : {std::vector<std::int64_t>{2, 2}, {5, 3}, {0, 4}}) {
    Diagnostics diagnostics;
    GraphMistakes mistakes{diagnostics};
    const StageEnv env{.name = "second"};
    StageCheck stage_check{env, second_, nullptr, mistakes};
    second_.sizes.set(wrong);
    stage_check.require_ascending(second_.sizes);
    EXPECT_THAT(diagnostics.mistakes(), ElementsAre(testing::HasSubstr("allowed: numbers from 1 on that ascend")));
  }
}

TEST_F(StageCheckTest, ComesBeforeAStageOpensAlone) {
  ExampleCounter counter;
  counter.limit.set(13);
  EXPECT_THAT([&] { StageRunner{counter}; },
              ThrowsMessage<UserError>("/stages/stage/params/limit: found 13, allowed: a number of good omen"));
}

}  // namespace
}  // namespace dflash
