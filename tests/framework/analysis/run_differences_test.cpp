// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/run_differences.h"

#include <gmock/gmock.h>

#include "tests/framework/analysis/made_records.h"

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;

std::vector<std::string> differences(const RunRecords& a, const RunRecords& b) { return run_differences({a}, {b}); }

RunRecords run_on(const std::string& name, const std::string& device) {
  RunRecords run = MadeRun{.name = name}.records();
  run.report["provenance"]["device"] = device;
  return run;
}

TEST(RunDifferences, AreNoneBetweenRunsOfOneKind) {
  EXPECT_THAT(differences(MadeRun{}.records(), MadeRun{.name = "b", .step_ns = 7}.records()), IsEmpty());
}

TEST(RunDifferences, NameWhatTheUserHasSet) {
  RunRecords b = MadeRun{}.records();
  b.graph["stages"]["sink"]["params"]["mode"] = "fast";
  b.graph["vars"] = {{"x", 1}};
  EXPECT_THAT(
      differences(MadeRun{}.records(), b),
      ElementsAre(R"(the graphs differ in sink.mode ("plain" in A, "fast" in B), vars.x (nothing in A, 1 in B))"));
}

TEST(RunDifferences, NameEdgesAndWhatOnlyOneSideHas) {
  const auto edges = [](int items) {
    return Json{{{"from", "a.out"}, {"to", "b.in"}, {"capacity", {{"items", 4}}}},
                {{"from", "b.out"}, {"to", "c.in"}, {"capacity", {{"items", items}}}}};
  };
  const Json a{
      {"edges", edges(4)},
      {"stages", {{"target", {{"inject", {{"sleep_ms", 300}, {"jitter", 0.5}, {"seed", 0}, {"nan_at", nullptr}}}}}}}};
  Json b{{"edges", edges(12)}, {"stages", {{"target", Json::object()}}}};
  EXPECT_THAT(graph_differences(a, b), ElementsAre("b.out->c.in.capacity.items (4 in A, 12 in B)",
                                                   "target.inject.sleep_ms (300 in A, nothing in B)",
                                                   "target.inject.jitter (0.5 in A, nothing in B)"));
  b = a;
  b["edges"].erase(1);
  EXPECT_THAT(graph_differences(a, b), ElementsAre("b.out->c.in.capacity.items (4 in A, nothing in B)"));
}

TEST(RunDifferences, AreCutWhereThereAreMany) {
  RunRecords b = MadeRun{}.records();
  for (int i = 0; i < 20; ++i) {
    b.graph["k" + std::to_string(i)] = i;
  }
  EXPECT_THAT(differences(MadeRun{}.records(), b), ElementsAre(EndsWith(" and 8 more")));
}

TEST(RunDifferences, NameAnotherMachineDeviceAndVersion) {
  RunRecords b = MadeRun{}.records();
  b.report["provenance"] = {
      {"device", "cuda:0"}, {"hardware", {{"cpu", "y"}, {"cores", 2}}}, {"versions", {{"app", "2"}}}};
  EXPECT_THAT(differences(MadeRun{}.records(), b),
              ElementsAre(R"(the runs come from different machines: cpu ("x" in A, "y" in B))",
                          R"(the versions differ: app ("1" in A, "2" in B))",
                          R"(the runs differ in device ("cpu" in A, "cuda:0" in B))"));
}

TEST(RunDifferences, TellHowARunEnded) {
  RunRecords b = MadeRun{.name = "runs/b"}.records();
  b.report["outcome"] = {{"code", 130}, {"text", "interrupted after step 4"}};
  EXPECT_THAT(differences(MadeRun{}.records(), b),
              ElementsAre("'runs/b' ended with code 130: interrupted after step 4"));
}

TEST(RunDifferences, TellHowEachRunOfASideEnded) {
  RunRecords broken = MadeRun{.name = "runs/broken"}.records();
  broken.report["outcome"] = {{"code", 1}, {"text", "broken"}};
  RunRecords stopped = MadeRun{.name = "runs/stopped"}.records();
  stopped.report["outcome"] = {{"code", 130}, {"text", "interrupted after step 4"}};
  const RunRecords run = MadeRun{}.records();
  EXPECT_THAT(run_differences({run, broken}, {run, run, stopped}),
              ElementsAre("'runs/broken' ended with code 1: broken",
                          "'runs/stopped' ended with code 130: interrupted after step 4"));
}

TEST(RunDifferences, NameSidesWhereTheRunsOfEachAreAlike) {
  EXPECT_THAT(
      run_differences({run_on("a1", "cpu"), run_on("a2", "cpu")}, {run_on("b1", "sim:0"), run_on("b2", "sim:0")}),
      ElementsAre(R"(the runs differ in device ("cpu" in A, "sim:0" in B))"));
}

TEST(RunDifferences, NameRunsWhereThoseOfASideAreNotAlike) {
  EXPECT_THAT(run_differences({run_on("a1", "cpu")}, {run_on("b1", "cpu"), run_on("b2", "sim:0")}),
              ElementsAre(R"(the runs differ in device ("cpu" in 'a1', "sim:0" in 'b2'))"));
  EXPECT_THAT(run_differences({run_on("a1", "cpu"), run_on("a2", "sim:0")}, {run_on("b1", "sim:0")}),
              ElementsAre(R"(the runs differ in device ("cpu" in 'a1', "sim:0" in 'a2'))",
                          R"(the runs differ in device ("cpu" in 'a1', "sim:0" in 'b1'))"));
}

}  // namespace
}  // namespace dflash
