// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "framework/report/self_checks.h"
#include "framework/report/verdict.h"
#include "framework/runtime/executor.h"
#include "tests/framework/planted_pipeline.h"

namespace dflash {

/// D27: pipelines of which it is known what limits them, run by the executor: the verdict must name that, and the
/// record must agree with itself.
class D27 : public testing::Test {
 protected:
  /// Tries again while the machine disturbs the pipeline, and skips the test where it always does.
  void run(const std::function<void(PlantedPipeline&)>& plant) {
    for (int attempt = 0; attempt < 5; ++attempt) {
      PlantedPipeline planted;
      plant(planted);
      record = Executor{planted.graph, planted.options}.run();
      ASSERT_EQ(record.outcome.code, 0) << record.outcome.text;
      expect_sound_record();
      if (planted.ran_as_planted(record)) {
        verdict = judge(record);
        note_in_test_report();
        return;
      }
    }
    GTEST_SKIP() << "the machine is too busy for bodies that sleep";
  }
  /// source s0 -> s1 -> s2 -> sink s3: the pipelines of the accounting's validation.
  void run_chain(const std::vector<int>& pauses, std::int64_t capacity = 4) {
    run([&](PlantedPipeline& planted) {
      auto& s0 = planted.source("s0", std::chrono::microseconds{pauses[0]});
      auto& s1 = planted.stage("s1", std::chrono::microseconds{pauses[1]});
      auto& s2 = planted.stage("s2", std::chrono::microseconds{pauses[2]});
      auto& s3 = planted.sink("s3", std::chrono::microseconds{pauses[3]});
      planted.graph.connect(s0.out, s1.in, {.items = capacity});
      planted.graph.connect(s1.out, s2.in, {.items = capacity});
      planted.graph.connect(s2.out, s3.in, {.items = capacity});
    });
  }
  void expect_bottleneck(const std::string& stage, VerdictKind kind) const {
    if (!IsSkipped()) {
      EXPECT_EQ(verdict.stage, stage) << verdict.text;
      EXPECT_EQ(kind_name(verdict.kind), std::string{kind_name(kind)}) << verdict.text;
    }
  }
  /// For who wants the table: --gtest_output=json.
  void note_in_test_report() const {
    double residue = 0.0;
    for (const StageRecord& stage : record.stages) {
      residue = std::max(residue, std::abs(static_cast<double>(stage.unaccounted_ns)) /
                                      static_cast<double>(stage.slots * record.wall_ns));
    }
    RecordProperty("verdict", verdict.text);
    RecordProperty("residue_of_states", fmt::format("{:.5f}", residue));
    RecordProperty("laws_that_hold", static_cast<int>(std::ranges::count_if(self_checks(record), &SelfCheck::ok)));
    RecordProperty("laws", static_cast<int>(self_checks(record).size()));
  }
  /// However busy the machine.
  void expect_sound_record() const {
    for (const SelfCheck& check : self_checks(record)) {
      EXPECT_TRUE(check.ok) << check.name << " is off by " << check.value << ", allowed " << check.limit;
    }
  }

  RunRecord record;
  Verdict verdict;
};

}  // namespace dflash
