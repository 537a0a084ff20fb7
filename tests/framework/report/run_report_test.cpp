// SPDX-License-Identifier: Apache-2.0
#include "framework/report/run_report.h"

#include <gmock/gmock.h>

#include "tests/framework/report/simulated_chain.h"

namespace dflash {
namespace {

TEST(RunReport, JudgesAndChecksTheRecordThatItKeeps) {
  const RunReport report = make_run_report("chain", simulate(constant_chain({"a", "b"}, {100, 900}, 50)), 2.5);
  EXPECT_EQ(report.graph_name, "chain");
  EXPECT_EQ(report.total_s, 2.5);
  EXPECT_EQ(report.verdict.stage, "b");
  EXPECT_EQ(report.record.stages.size(), 2U);
  EXPECT_THAT(report.checks, ::testing::SizeIs(6));
}

}  // namespace
}  // namespace dflash
