// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/what_if.h"

#include <functional>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/analysis/pipeline_replay.h"
#include "framework/core/error.h"
#include "tests/framework/analysis/hand_made_timeline.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using enum Change::Kind;

using Times = std::vector<std::int64_t>;

/// A source, a slow stage and a sink, as a replay gives it: so its own replay is exact.
Timeline recorded_run() {
  HandMadeTimeline made;
  made.stage("data", Times(50, 10));
  made.stage("work", Times(50, 40));
  made.buffer("queue", 50, 8, 2);
  made.stage("step", Times(50, 25));
  made.edge(0, 1, 2);
  made.edge(1, 2, 2);
  made.edge_from_buffer(2, 3, 2);
  made.lane("cpu").workers = 8;
  return replay(model_of(made.timeline)).timeline;
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(WhatIf, ReadsChanges) {
  const Change speedup = parse_change(kSpeedup, "drafter=1.5x");
  EXPECT_EQ(speedup.name, "drafter");
  EXPECT_EQ(speedup.value, 1.5);
  const Change capacity = parse_change(kCapacity, "pack.out -> queue.in=8");
  EXPECT_EQ(capacity.name, "pack.out->queue.in");
  EXPECT_EQ(capacity.value, 8);
}

TEST(WhatIf, RefusesWhatIsNoChange) {
  EXPECT_EQ(error_of([] { (void)parse_change(kSpeedup, "drafter"); }),
            "--speedup drafter: allowed: STAGE=TIMES, as drafter=1.5, with TIMES from 0.001 to 1000000");
  EXPECT_EQ(error_of([] { (void)parse_change(kSpeedup, "drafter=0.001"); }), "no error");
  for (const char* text : {"=2", "a=", "a=0", "a=-1", "a=1e-6", "a=0.0009", "a=nan", "a=1e300", "a=2y"}) {
    EXPECT_THAT(error_of([&] { (void)parse_change(kSpeedup, text); }), StartsWith("--speedup ")) << text;
  }
  EXPECT_THAT(error_of([] { (void)parse_change(kCapacity, "a=2.5"); }), StartsWith("--capacity a=2.5: allowed: "));
  EXPECT_THAT(error_of([] { (void)parse_change(kReplicas, "a=0"); }), StartsWith("--replicas a=0: allowed: "));
}

TEST(WhatIf, RefusesTwoValuesForOneThing) {
  EXPECT_EQ(error_of([] { require_single({{kSpeedup, "a", 2}, {kReplicas, "a", 2}, {kSpeedup, "a", 3}}); }),
            "--speedup a: found 2 and 3, allowed: one value");
  EXPECT_EQ(error_of([] { require_single({{kSpeedup, "a", 2}, {kSpeedup, "b", 2}, {kCapacity, "a", 2}}); }),
            "no error");
}

TEST(WhatIf, NamesTheNearestStageAndEdge) {
  const Timeline run = recorded_run();
  EXPECT_EQ(error_of([&] { (void)what_if(run, {{kSpeedup, "stap", 2}}); }),
            "--speedup stap: the run has no such stage; did you mean 'step'?");
  EXPECT_EQ(error_of([&] { (void)what_if(run, {{kCapacity, "data.out->wrok.in", 2}}); }),
            "--capacity data.out->wrok.in: the run has no such edge or buffer; did you mean 'data.out->work.in'?");
}

TEST(WhatIf, RefusesWhatTheEngineCouldNotRun) {
  const Timeline run = recorded_run();
  EXPECT_THAT(error_of([&] { (void)what_if(run, {{kCapacity, "queue", 1}}); }),
              HasSubstr("found 1, allowed: at least 2, which is its min_ready"));
  EXPECT_THAT(error_of([&] { (void)what_if(run, {{kReplicas, "data", 2}}); }), HasSubstr("since it is a source"));
  EXPECT_THAT(error_of([&] { (void)what_if(run, {{kReplicas, "queue", 2}}); }), HasSubstr("since it is a buffer"));
}

// Times are whole nanoseconds in 64 bits: 292 years.
TEST(WhatIf, RefusesWorkOfMoreTimeThanCanBeSummed) {
  constexpr std::int64_t kMonth = 2'592'000'000'000'000;
  HandMadeTimeline made;
  made.stage("work", Times(10, kMonth));
  const Timeline run = replay(model_of(made.timeline)).timeline;
  EXPECT_EQ(error_of([&] { (void)what_if(run, {{kSpeedup, "work", 0.001}}); }),
            "with 'work' 0.001 times as fast all firings one after the other would take 7200000h00m, allowed: at most "
            "500000h00m");
  EXPECT_EQ(error_of([&] { (void)what_if(run, {{kSpeedup, "work", 0.1}}); }), "no error");
}

TEST(WhatIf, PredictsAFasterStageUntilAnotherLimits) {
  const Timeline run = recorded_run();
  const WhatIf same = what_if(run, {});
  EXPECT_EQ(same.baseline_error, 0.0);
  EXPECT_EQ(same.predicted_wall_ns, run.wall_ns);
  EXPECT_EQ(same.verdict.stage, "work");
  // 50 firings of 25 ns; the queue lets the first go when the second is there, at 30.
  const WhatIf fast = what_if(run, {{kSpeedup, "work", 4}});
  EXPECT_EQ(fast.predicted_wall_ns, 30 + 50 * 25);
  EXPECT_EQ(fast.verdict.stage, "step") << fast.verdict.text;
  EXPECT_THAT(what_if_text(fast), AllOf(HasSubstr("'work' 4 times as fast"), HasSubstr("as it must")));
}

// 50 of work and 50 of evaluation, which a faster stage does not speed up.
TEST(WhatIf, LeavesTheTimeBetweenStepsAsItWas) {
  HandMadeTimeline made;
  made.stage("data", Times(10, 1));
  made.stage("drafter", Times(10, 5));
  made.edge(0, 1, 2);
  made.steps(1, 10);
  made.between_steps(1, 3, 30);
  made.between_steps(1, 8, 20);
  const Timeline run = replay(model_of(made.timeline)).timeline;
  EXPECT_EQ(run.wall_ns, 1 + 50 + 50);
  EXPECT_EQ(run.stages[1].firings[2].between, 30);
  EXPECT_EQ(what_if(run, {}).predicted_wall_ns, run.wall_ns);
  EXPECT_EQ(what_if(run, {{kSpeedup, "drafter", 5}}).predicted_wall_ns, 1 + 10 + 50);
}

TEST(WhatIf, TakesReplicasForMoreWorkAtOnce) {
  const Timeline run = recorded_run();
  const WhatIf more = what_if(run, {{kReplicas, "work", 4}});
  EXPECT_EQ(more.predicted_wall_ns, 60 + 50 * 25);
  EXPECT_EQ(more.verdict.stage, "step");
}

TEST(WhatIf, TellsProgramsTheSame) {
  const Json json = what_if_json(what_if(recorded_run(), {{kSpeedup, "work", 4}, {kCapacity, "queue", 20}}));
  EXPECT_EQ(json.at("baseline_error"), 0.0);
  EXPECT_LT(json.at("predicted_wall_s"), json.at("wall_s"));
  EXPECT_EQ(json.at("verdict").at("stage"), "step");
  EXPECT_EQ(json.at("changes").size(), 2U);
  EXPECT_NEAR(json.at("speedup").get<double>() * json.at("predicted_wall_s").get<double>(),
              json.at("wall_s").get<double>(), 1e-9);
  EXPECT_FALSE(json.contains("ratio"));  // compare and sweep call that of rates so
}

TEST(WhatIf, TellsWhatItDoesNotKnow) {
  WhatIf result = what_if(recorded_run(), {{kSpeedup, "work", 4}});
  result.notes = {"it rained"};
  EXPECT_THAT(what_if_text(result), HasSubstr("\nnote:      it rained\n"));
  EXPECT_EQ(what_if_json(result).at("notes"), Json::array({"it rained"}));
}

TEST(WhatIf, RefusesToPredictFromARunThatItCannotExplain) {
  Timeline run = recorded_run();
  run.wall_ns = run.wall_ns * 5 / 4;
  EXPECT_THAT(error_of([&] { (void)what_if(run, {{kSpeedup, "work", 2}}); }),
              AllOf(StartsWith("the replay of the run as it was takes "),
                    EndsWith("off by 20 %, allowed: 10 %; so a prediction from it is worth nothing")));
  EXPECT_THAT(error_of([] { (void)what_if({}, {}); }), StartsWith("the run's timeline holds no firings"));
}

// What a changed run would do is looked at only where there is something to say of the run as it was; a name that is
// wrong is told at once.
TEST(WhatIf, AsksWhetherItCanExplainTheRunBeforeItLooksAtTheChange) {
  Timeline run = recorded_run();
  run.wall_ns = run.wall_ns * 5 / 4;
  EXPECT_THAT(error_of([&] { (void)what_if(run, {{kSpeedup, "work", 1e-30}}); }), HasSubstr("off by 20 %"));
  EXPECT_THAT(error_of([&] { (void)what_if(run, {{kSpeedup, "wrok", 2}}); }), HasSubstr("did you mean 'work'?"));
}

// The run of StageGains.LeaveOutAStageWithWhichTheRunWouldStandStill.
TEST(WhatIf, RefusesAChangeWithWhichTheRunWouldStandStill) {
  HandMadeTimeline made;
  made.stage("data", Times(50, 100));
  made.stage("step", Times(50, 90));
  made.edge(0, 1, {.capacity = 1, .blocks = false});
  made.steps(1, 50);
  const Timeline run = replay(model_of(made.timeline)).timeline;
  EXPECT_THAT(error_of([&] { (void)what_if(run, {{kSpeedup, "data", 2}}); }),
              StartsWith("with 'data' 2 times as fast the run would stand still after "));
}

}  // namespace
}  // namespace dflash
