// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "framework/runtime/executor.h"
#include "tests/framework/test_stages.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::Not;
using testing::SizeIs;
using testing::ThrowsMessage;

/// source -> first -> second -> sink
struct Chain {
  explicit Chain(std::string first_fails = {}, std::string second_fails = {}, std::int64_t at_firing = 1)
      : source{graph.add<NumberSource>("source", 100)},
        first{graph.add<ProbeStage>("first", std::move(first_fails), at_firing)},
        second{graph.add<ProbeStage>("second", std::move(second_fails), at_firing)},
        sink{graph.add<NumberSink>("sink")} {
    graph.connect(source.out, first.in);
    graph.connect(first.out, second.in);
    graph.connect(second.out, sink.in);
    first.diary = &diary;
    second.diary = &diary;
  }
  Graph graph;
  NumberSource& source;
  ProbeStage& first;
  ProbeStage& second;
  NumberSink& sink;
  std::vector<std::string> diary;
};

TEST(RunEndings, OpensSinksFirstAndClosesInReverse) {
  Chain chain;
  EXPECT_EQ(Executor(chain.graph, {}).run().outcome.code, 0);
  EXPECT_THAT(chain.diary,
              ElementsAre("second open", "first open", "first drain", "second drain", "first close", "second close"));
}

TEST(RunEndings, ClosesWhatIsOpenWhereAnOpenFails) {
  Chain chain{"open"};
  Executor executor{chain.graph, {}};
  EXPECT_THAT([&] { (void)executor.run(); },
              ThrowsMessage<StageError>(AllOf(HasSubstr("stage 'first' (open)"), HasSubstr("planted in open"))));
  EXPECT_THAT(chain.diary, ElementsAre("second open", "first open", "first close", "second close"));
}

TEST(RunEndings, ABufferThatBreaksItsPromiseIsRefusedOnceItIsOpen) {
  const auto fault_of = [](std::int64_t capacity, std::int64_t min_ready) -> std::string {
    Graph graph;
    auto& source = graph.add<NumberSource>("source", 3);
    auto& queue = graph.add<NumberQueue>("queue", capacity, min_ready);
    auto& sink = graph.add<NumberSink>("sink");
    graph.connect(source.out, queue.in);
    graph.connect(queue.out, sink.in);
    try {
      return Executor{graph, {}}.run().outcome.text;
    } catch (const StageError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(fault_of(4, 4), "done");
  EXPECT_THAT(fault_of(4, 0), AllOf(HasSubstr("stage 'queue' (open)"), HasSubstr("fewest_ready() says 0")));
  EXPECT_THAT(fault_of(0, 1), AllOf(HasSubstr("stage 'queue' (open)"), HasSubstr("capacity() says 0")));
}

TEST(RunEndings, NamesStageAndFiringOfAFailedFiringAndClosesEverything) {
  Chain chain{"", "fire", 7};
  const RunRecord record = Executor{chain.graph, {}}.run();
  EXPECT_EQ(record.outcome.code, 1);
  EXPECT_THAT(record.outcome.text, AllOf(HasSubstr("stage 'second', firing 7"), HasSubstr("planted in fire")));
  EXPECT_THAT(record.errors, SizeIs(1));
  EXPECT_THAT(chain.sink.seen, SizeIs(Le(6U)));
  EXPECT_THAT(chain.diary, AllOf(Contains("first close"), Contains("second close"), Not(Contains("second drain"))));
}

TEST(RunEndings, AFailedFiringLeavesNothing) {
  Chain chain{"fire", "", 7};
  (void)Executor{chain.graph, {}}.run();
  EXPECT_THAT(chain.sink.seen, Not(Contains(6)));
}

TEST(RunEndings, AUsersErrorIsCodeTwo) {
  Chain chain{"fire"};
  chain.first.is_users_fault = true;
  const RunRecord record = Executor{chain.graph, {}}.run();
  EXPECT_EQ(record.outcome.code, 2);
  EXPECT_THAT(record.outcome.text, HasSubstr("stage 'first', firing 1: planted in fire by the user"));
}

TEST(RunEndings, AnErrorInDrainIsToldWithItsStage) {
  Chain chain{"drain"};
  const RunRecord record = Executor{chain.graph, {}}.run();
  EXPECT_EQ(record.outcome.code, 1);
  EXPECT_THAT(record.outcome.text, HasSubstr("stage 'first' (drain)"));
  EXPECT_THAT(chain.diary, Contains("second close"));
}

TEST(RunEndings, TwoErrorsAtOnceAreBothTold) {
  Graph graph;
  auto& source = graph.add<NumberSource>("source", 1);
  auto& left = graph.add<ProbeStage>("left", "fire");
  auto& right = graph.add<ProbeStage>("right", "fire");
  graph.connect(source.out, left.in);
  graph.connect(source.out, right.in);
  std::atomic<int> inside{0};
  const auto meet = [&](std::int64_t) {
    ++inside;
    while (inside < 2) {
      std::this_thread::yield();
    }
  };
  left.on_fire = meet;
  right.on_fire = meet;
  const RunRecord record = Executor{graph, {}}.run();
  EXPECT_EQ(record.outcome.code, 1);
  EXPECT_THAT(record.errors, testing::UnorderedElementsAre(HasSubstr("stage 'left'"), HasSubstr("stage 'right'")));
  EXPECT_EQ(record.outcome.text, record.errors.at(0));
}

TEST(RunEndings, AnErrorOfTheWorkerHookEndsTheRun) {
  Chain chain;
  RunOptions options;
  options.worker_started = [] { throw UserError("no such device"); };
  const RunRecord record = Executor{chain.graph, options}.run();
  EXPECT_EQ(record.outcome.code, 2);
  EXPECT_THAT(record.outcome.text, HasSubstr("no such device"));
}

/// source -> pack -> step -> report -> lines
struct Training {
  explicit Training(std::int64_t numbers, std::int64_t accumulate = 1)
      : source{graph.add<NumberSource>("source", numbers)},
        pack{graph.add<ProbeStage>("pack")},
        step{graph.add<StepStage>("step", accumulate)},
        report{graph.add<NumberPacker>("report", 4)},
        lines{graph.add<NumberSink>("lines")} {
    graph.connect(source.out, pack.in);
    graph.connect(pack.out, step.in);
    graph.connect(step.metrics, report.in);
    graph.connect(report.out, lines.in);
    pack.diary = &diary;
  }
  Graph graph;
  NumberSource& source;
  ProbeStage& pack;
  StepStage& step;
  NumberPacker& report;
  NumberSink& lines;
  std::vector<std::string> diary;
};

TEST(RunEndings, EndsAtTheGivenStepAndDrainsOnlyBehindIt) {
  Training training{1'000'000};
  RunOptions options;
  options.steps = 10;
  const RunRecord record = Executor{training.graph, options}.run();
  EXPECT_EQ(record.outcome.code, 0) << record.outcome.text;
  EXPECT_EQ(record.steps, 10);
  EXPECT_THAT(training.step.seen, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(training.lines.seen, ElementsAre(0 + 1 + 2 + 3, 4 + 5 + 6 + 7, 8 + 9));
  EXPECT_THAT(training.diary, ElementsAre("pack open", "pack close"));
  const std::int64_t emitted = record.stages.at(1).firings;
  EXPECT_EQ(record.edges.at(1).items, emitted);
  EXPECT_EQ(record.edges.at(1).abandoned, emitted - 10);
}

TEST(RunEndings, FiresNothingWhereTheCutIsOfTheLastStep) {
  Training training{1'000'000};
  RunOptions options;
  options.steps = 10;
  options.resumed_step = 10;
  const RunRecord record = Executor{training.graph, options}.run();
  EXPECT_EQ(record.outcome.code, 0) << record.outcome.text;
  EXPECT_EQ(record.steps, 0);
  EXPECT_EQ(training.source.position, 0);
  EXPECT_THAT(training.step.seen, IsEmpty());
}

TEST(RunEndings, SaysThatTheSourcesEndedBeforeTheSteps) {
  Training training{5};
  RunOptions options;
  options.steps = 10;
  const RunRecord record = Executor{training.graph, options}.run();
  EXPECT_EQ(record.outcome.code, 0);
  EXPECT_THAT(record.outcome.text, HasSubstr("ended after step 5 of 10"));
  EXPECT_THAT(training.diary, Contains("pack drain"));
}

TEST(RunEndings, CallsBetweenStepsAndDrainedWithTheLastStep) {
  Training training{1'000'000};
  RunOptions options;
  options.steps = 3;
  std::vector<std::int64_t> steps;
  std::vector<std::int64_t> last;
  options.between_steps = [&](std::int64_t step, Firing&, const SaveCut&) { steps.push_back(step); };
  options.drained = [&](std::int64_t step, const SaveCut&) { last.push_back(step); };
  (void)Executor{training.graph, options}.run();
  EXPECT_THAT(steps, ElementsAre(1, 2, 3));
  EXPECT_THAT(last, ElementsAre(3));
}

TEST(RunEndings, AnErrorBetweenStepsIsToldAndNothingIsSavedAfterwards) {
  Training training{1'000'000};
  RunOptions options;
  bool drained = false;
  options.between_steps = [](std::int64_t, Firing&, const SaveCut&) { throw UserError("disk full"); };
  options.drained = [&](std::int64_t, const SaveCut&) { drained = true; };
  const RunRecord record = Executor{training.graph, options}.run();
  EXPECT_EQ(record.outcome.code, 2);
  EXPECT_THAT(record.outcome.text, AllOf(HasSubstr("stage 'step', firing 1"), HasSubstr("disk full")));
  EXPECT_FALSE(drained);
}

TEST(RunEndings, StopsAtTheNextStepWithoutDrainingWhatLiesBefore) {
  Training training{1'000'000, 3};
  RunOptions options;
  Executor* running = nullptr;
  std::int64_t drained_at = 0;
  training.pack.on_fire = [&](std::int64_t value) {
    if (value == 60) {
      running->request_stop();
    }
  };
  options.drained = [&](std::int64_t step, const SaveCut&) { drained_at = step; };
  Executor executor{training.graph, options};
  running = &executor;
  const RunRecord record = executor.run();
  EXPECT_EQ(record.outcome.code, 130);
  EXPECT_THAT(record.steps, AllOf(Ge(18), Le(21)));
  EXPECT_EQ(drained_at, record.steps);
  EXPECT_EQ(record.outcome.text, fmt::format("interrupted after step {}", record.steps));
  EXPECT_THAT(training.diary, Not(Contains("pack drain")));
  EXPECT_EQ(static_cast<std::int64_t>(training.lines.seen.size()), (record.steps + 3) / 4);
}

TEST(RunEndings, AStopBeforeTheRunFiresNoSource) {
  Training training{1'000'000};
  Executor executor{training.graph, {}};
  executor.request_stop();
  const RunRecord record = executor.run();
  EXPECT_EQ(record.outcome.code, 130);
  EXPECT_EQ(training.source.position, 0);
  EXPECT_THAT(training.lines.seen, IsEmpty());
}

TEST(RunEndings, AStopAtOnceFiresNothingMoreAndSavesNothing) {
  Training training{1'000'000};
  RunOptions options;
  Executor* running = nullptr;
  bool drained = false;
  training.pack.on_fire = [&](std::int64_t value) {
    if (value == 60) {
      running->request_stop_at_once();
    }
  };
  options.drained = [&](std::int64_t, const SaveCut&) { drained = true; };
  Executor executor{training.graph, options};
  running = &executor;
  const RunRecord record = executor.run();
  EXPECT_EQ(record.outcome.code, 130);
  EXPECT_EQ(record.outcome.text, fmt::format("interrupted at once after step {}", record.steps));
  EXPECT_LE(record.steps, 61);
  EXPECT_FALSE(drained);
}

TEST(RunEndings, AStopWithoutAStepStageLetsWhatIsInFlightArrive) {
  Chain chain;
  Executor* running = nullptr;
  chain.first.on_fire = [&](std::int64_t value) {
    if (value == 20) {
      running->request_stop();
    }
  };
  Executor executor{chain.graph, {}};
  running = &executor;
  const RunRecord record = executor.run();
  EXPECT_EQ(record.outcome.code, 130);
  EXPECT_EQ(static_cast<std::int64_t>(chain.sink.seen.size()), chain.source.position);
  EXPECT_THAT(chain.source.position, AllOf(Ge(21), Le(30)));
  EXPECT_THAT(chain.diary, Not(Contains(HasSubstr("drain"))));
}

}  // namespace
}  // namespace dflash
