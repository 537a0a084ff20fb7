// SPDX-License-Identifier: Apache-2.0
#include "framework/report/report_text.h"

#include <sstream>

#include <gmock/gmock.h>

#include "tests/framework/report/simulated_chain.h"

namespace dflash {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream{text};
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

RunReport full_report() {
  const std::string longest(60, 'n');
  RunRecord record = simulate(
      constant_chain({"data", "target", longest, "drafter"}, {500'000, 60'000'000, 70'000'000, 124'000'000}, 800));
  record.steps = 800;
  record.stages[3].spans = {{.name = "forward", .count = 800, .ns = 30'000'000'000}};
  record.stages[0].counters["rows_rejected"] = 3;
  record.errors = {"stage 'drafter', firing 7: " + std::string(40, 'w') + " a cause told in a long sentence " +
                   std::string(60, 'v')};
  RunReport report = make_run_report("train", std::move(record), 121.0);
  report.summaries = {{"training", {{"steps", 800}, {"loss_last", 1.234567891}}}};
  report.provenance = {{"seed", 42}, {"command", "dflash-graph run graphs/train.json"}};
  return report;
}

TEST(ReportText, NeverPassesItsColumns) {
  EXPECT_THAT(lines_of(report_text(full_report())), Each(SizeIs(::testing::Le(kReportColumns))));
}

TEST(ReportText, PutsTheVerdictFirst) {
  const auto lines = lines_of(report_text(full_report()));
  EXPECT_THAT(lines[0], AllOf(HasSubstr("train"), HasSubstr("outcome 0: done")));
  EXPECT_THAT(lines[2], StartsWith("VERDICT  Stage 'drafter' is the bottleneck"));
}

TEST(ReportText, HasAPartForEverythingThatHappened) {
  EXPECT_THAT(report_text(full_report()),
              AllOf(HasSubstr("\nSTAGES"), HasSubstr("\nSPANS"), HasSubstr("\nEDGES"), HasSubstr("\nLANES"),
                    HasSubstr("\nCOUNTERS"), HasSubstr("\nTRAINING"), HasSubstr("\nSELF-CHECKS   all 14 passed"),
                    HasSubstr("\nERRORS"), HasSubstr("\nPROVENANCE")));
}

TEST(ReportText, TellsWhatFasterStagesWouldBring) {
  RunReport report = full_report();
  EXPECT_THAT(report_text(report), Not(HasSubstr("\nWHAT IF")));
  report.gains = {{.stage = "drafter", .speedup = 2.0, .gain = 1.5}};
  EXPECT_THAT(report_text(report), HasSubstr("drafter  2 times as fast  1.50 times as fast"));
}

TEST(ReportText, SaysWhatWasPlantedIntoAStage) {
  RunReport report = full_report();
  EXPECT_THAT(report_text(report), Not(HasSubstr("planted")));
  report.planted["target"] = "each firing takes 60 ms longer (inject.sleep_ms)";
  EXPECT_THAT(report_text(report),
              HasSubstr("\n  planted into 'target': each firing takes 60 ms longer (inject.sleep_ms)\n"));
}

TEST(ReportText, TellsTheWaysOfItems) {
  RunReport report = full_report();
  EXPECT_THAT(report_text(report), Not(HasSubstr("\nPATHS")));
  PathLatency path{.stages = {"data", "drafter"},
                   .parts = {{.kind = PathPart::Kind::kFiring, .name = "drafter", .mean_ns = 200'000'000.0},
                             {.kind = PathPart::Kind::kWaiting, .name = "a->b", .mean_ns = 790'000'000.0},
                             {.kind = PathPart::Kind::kWaiting, .name = "b->c", .mean_ns = 10'000'000.0}}};
  path.total.record(1'000'000'000);
  report.paths = {path};
  EXPECT_THAT(report_text(report),
              AllOf(HasSubstr("data > drafter: p50 "), HasSubstr("(1 item)"),
                    HasSubstr("in firings 200 ms (20 %): drafter 200 ms"), Not(HasSubstr("on the device 0")),
                    HasSubstr("waiting 800 ms (80 %): a->b 790 ms, b->c 10.0 ms")));
}

TEST(ReportText, TellsWhatMeasuringCost) {
  RunReport report = full_report();
  EXPECT_THAT(report_text(report), Not(HasSubstr("the stamps of")));
  report.record.stamp_cost_ns = 100;
  EXPECT_THAT(report_text(report), HasSubstr("the stamps of 3200 firings, 100 ns each"));
}

TEST(ReportText, TellsWhatEachStageHadOnADevice) {
  RunReport report = full_report();
  StageRecord& target = report.record.stages[1];
  target.device_firings = 800;
  target.gpu_queue_ns = 800 * 2'000'000;
  target.gpu_span.record(60'000'000);
  target.spans = {{.name = "layers", .count = 800, .ns = 800'000, .device_ns = 40'000'000'000}};
  report.record.devices = {{.name = "cuda:0",
                            .firings = 800,
                            .busy_ns = report.record.wall_ns / 2,
                            .span_ns = report.record.wall_ns,
                            .memory_high_bytes = 3'000'000,
                            .allocations = 33,
                            .host_waits = 2}};
  const std::string text = report_text(report);
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("\nDEVICES"),
            HasSubstr("cuda:0  50 %     2.00      2.9 MiB  33 (0.0413/step)      0     0       0  2 (0.0025/step)"),
            HasSubstr("\nDEVICE TIME"), HasSubstr("2.00 ms"), HasSubstr("40.0 s  50.0 ms")));
  EXPECT_THAT(report_text(full_report()), Not(HasSubstr("on the device")));
  EXPECT_THAT(lines_of(text), Each(SizeIs(::testing::Le(kReportColumns))));
  EXPECT_THAT(report_text(full_report()), Not(HasSubstr("DEVICE")));
}

TEST(ReportText, LeavesOutWhatDidNotHappen) {
  const RunReport report = make_run_report("plain", simulate(constant_chain({"a", "b"}, {1000, 2000}, 50)), 1.0);
  EXPECT_THAT(report_text(report),
              AllOf(Not(HasSubstr("SPANS")), Not(HasSubstr("COUNTERS")), Not(HasSubstr("ERRORS"))));
}

TEST(ReportText, NamesAFailedSelfCheck) {
  RunRecord record = simulate(constant_chain({"a", "b"}, {1000, 2000}, 50));
  ++record.edges[0].items;
  EXPECT_THAT(report_text(make_run_report("plain", std::move(record), 1.0)),
              AllOf(HasSubstr("1 of 6 failed"), HasSubstr("flow balance: a.out->b.in")));
}

TEST(StateBar, IsInProportionAndAlwaysAsWideAsAsked) {
  const StageRecord stage{.name = "s", .busy_ns = 50, .blocked_out_ns = 25, .starved_in_ns = 15, .ended_ns = 10};
  EXPECT_EQ(state_bar(stage, 100, 20), "##########>>>>><<<  ");
}

TEST(StateBar, IsBlankWithoutTime) { EXPECT_EQ(state_bar(StageRecord{}, 0, 4), "    "); }

}  // namespace
}  // namespace dflash
