// SPDX-License-Identifier: Apache-2.0
#include "framework/report/prometheus_text.h"

#include <limits>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include <gmock/gmock.h>

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

LiveRun some_run() {
  LiveRun run{.graph = "train"};
  run.view.is_under_way = true;
  run.progress = {.elapsed_s = 12.5, .steps = 120, .total_steps = 800};
  run.progress.metrics = {{"loss", 2.25}, {"tokens_per_s", 7421.0}};
  run.view.stages = {{.name = "target",
                      .slots = 2,
                      .firings = 40,
                      .busy_ns = 1'500'000'000,
                      .blocked_ns = 250'000'000,
                      .starved_ns = 2,
                      .firing_slots = 1,
                      .longest_ns = 3'000'000},
                     {.name = "drafter", .firings = 39}};
  run.view.edges = {{.name = "target.taps->extract.taps", .capacity_items = 4, .items = 40, .fill = 3, .drops = 1}};
  run.view.devices = {{.name = "cuda:0", .firings = 79, .busy_ns = 4'000'000'000, .memory_bytes = 1 << 30}};
  return run;
}

std::string block(const std::string& text, const std::string& name) {
  const std::size_t begin = text.find("# HELP " + name + " ");
  return begin == std::string::npos ? "" : text.substr(begin, text.find("# HELP ", begin + 1) - begin);
}

TEST(PrometheusText, TellsWhatStagesDidInSecondsByTheirNames) {
  const std::string text = prometheus_text(some_run());
  EXPECT_EQ(block(text, "dflash_stage_busy_seconds_total"),
            "# HELP dflash_stage_busy_seconds_total Time in bodies, that of firings under way included.\n"
            "# TYPE dflash_stage_busy_seconds_total counter\n"
            "dflash_stage_busy_seconds_total{stage=\"target\"} 1.5\n"
            "dflash_stage_busy_seconds_total{stage=\"drafter\"} 0\n");
  EXPECT_THAT(text, AllOf(HasSubstr("\ndflash_stage_firings_total{stage=\"target\"} 40\n"),
                          HasSubstr("\ndflash_stage_blocked_seconds_total{stage=\"target\"} 0.25\n"),
                          HasSubstr("\ndflash_stage_starved_seconds_total{stage=\"target\"} 2e-09\n"),
                          HasSubstr("\ndflash_stage_longest_firing_seconds{stage=\"target\"} 0.003\n"),
                          HasSubstr("\ndflash_stage_slots{stage=\"target\"} 2\n")));
}

TEST(PrometheusText, TellsOfEdgesDevicesStepsAndTime) {
  EXPECT_THAT(prometheus_text(some_run()),
              AllOf(HasSubstr("\ndflash_edge_items_total{edge=\"target.taps->extract.taps\"} 40\n"),
                    HasSubstr("\ndflash_edge_fill_items{edge=\"target.taps->extract.taps\"} 3\n"),
                    HasSubstr("\ndflash_edge_capacity_items{edge=\"target.taps->extract.taps\"} 4\n"),
                    HasSubstr("\ndflash_edge_dropped_items_total{edge=\"target.taps->extract.taps\"} 1\n"),
                    HasSubstr("\ndflash_device_memory_bytes{device=\"cuda:0\"} 1073741824\n"),
                    HasSubstr("\ndflash_device_busy_seconds_total{device=\"cuda:0\"} 4\n"),
                    HasSubstr("\ndflash_steps_total 120\n"), HasSubstr("\ndflash_steps_planned 800\n"),
                    HasSubstr("\ndflash_run_seconds 12.5\n"),
                    HasSubstr("\ndflash_run_info{graph=\"train\",phase=\"running\"} 1\n")));
}

TEST(PrometheusText, LeavesOutWhatThereIsNot) {
  const std::string text = prometheus_text({.graph = "train"});
  EXPECT_THAT(text, AllOf(Not(HasSubstr("dflash_stage")), Not(HasSubstr("dflash_edge")),
                          Not(HasSubstr("dflash_device")), Not(HasSubstr("dflash_steps_planned"))));
}

TEST(PrometheusText, GivesTheRunsMetricsAsGaugesWithTheirUnits) {
  const std::string text = prometheus_text(some_run());
  EXPECT_EQ(block(text, "dflash_metric_loss"),
            "# HELP dflash_metric_loss The newest 'loss' of the run.\n"
            "# TYPE dflash_metric_loss gauge\n"
            "dflash_metric_loss 2.25\n");
  EXPECT_THAT(text, HasSubstr("\ndflash_metric_tokens_per_second 7421\n"));
}

TEST(PrometheusText, SpellsOutUnitsAndReplacesWhatANameMayNotHave) {
  EXPECT_EQ(metric_name("loss"), "dflash_metric_loss");
  EXPECT_EQ(metric_name("tokens_per_s"), "dflash_metric_tokens_per_second");
  EXPECT_EQ(metric_name("forward_s"), "dflash_metric_forward_seconds");
  EXPECT_EQ(metric_name("memory_bytes"), "dflash_metric_memory_bytes");
  EXPECT_EQ(metric_name("acc@1 top-5/\n\u00e4"), "dflash_metric_acc_1_top_5____");
}

TEST(PrometheusText, TellsOneOfTwoMetricsWithOneName) {
  LiveRun run = some_run();
  run.progress.metrics = {{"a-b", 1.0}, {"a_b", 2.0}};
  EXPECT_THAT(prometheus_text(run), AllOf(HasSubstr("\ndflash_metric_a_b 1\n"), Not(HasSubstr("dflash_metric_a_b 2"))));
}

TEST(PrometheusText, SpellsWhatIsNotFiniteAsPrometheusDoes) {
  LiveRun run = some_run();
  run.progress.metrics = {{"nan", std::numeric_limits<double>::quiet_NaN()},
                          {"inf", std::numeric_limits<double>::infinity()},
                          {"low", -std::numeric_limits<double>::infinity()}};
  EXPECT_THAT(prometheus_text(run), AllOf(HasSubstr("dflash_metric_nan NaN\n"), HasSubstr("dflash_metric_inf +Inf\n"),
                                          HasSubstr("dflash_metric_low -Inf\n")));
}

TEST(PrometheusText, EscapesLabels) {
  LiveRun run = some_run();
  run.graph = "a\\b\"c\nd";
  EXPECT_THAT(prometheus_text(run), HasSubstr(R"(dflash_run_info{graph="a\\b\"c\nd",phase="running"} 1)"));
}

TEST(PrometheusText, EachLineIsOfTheFormatAndEachNameStandsTogether) {
  const std::regex comment{R"(# (HELP|TYPE) [a-z_]+ .+)"};
  const std::regex sample{R"(([a-z_]+)(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [-+0-9.eE]+)"};
  std::istringstream lines{prometheus_text(some_run())};
  std::set<std::string> names;
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, sample)) {
      EXPECT_EQ(match[1], last);
    } else {
      ASSERT_TRUE(std::regex_match(line, comment)) << line;
      const std::string name = line.substr(7, line.find(' ', 7) - 7);
      EXPECT_TRUE(name == last || names.insert(name).second) << name;
      last = name;
      EXPECT_TRUE(!line.ends_with(" counter") || name.ends_with("_total")) << line;
    }
  }
  EXPECT_GE(names.size(), 20U);
}

}  // namespace
}  // namespace dflash
