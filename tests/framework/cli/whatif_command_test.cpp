// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/whatif_command.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "tests/support/recorded_example.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class WhatifCommandTest : public testing::Test {
 protected:
  WhatifCommandTest() { write_recorded_example(folder_.path()); }

  std::string run(CommandValues values, const CommandOutput& output = {}) const {
    values.insert(values.begin(), {"RUN", folder_.path().string()});
    testing::internal::CaptureStdout();
    EXPECT_EQ(whatif_command().run(values, output), 0);
    return testing::internal::GetCapturedStdout();
  }

  TemporaryFolder folder_;
};

TEST_F(WhatifCommandTest, PredictsAChangedRun) {
  EXPECT_THAT(run({{"speedup", "work=4"}, {"speedup", "data=2"}, {"capacity", "queue=20"}}),
              AllOf(HasSubstr("'work' 4 times as fast, 'data' 2 times as fast, room for 20 items in 'queue'"),
                    HasSubstr("takes its recorded time, as it must"), HasSubstr("'step'")));
  EXPECT_THAT(run({{"replicas", "work=4"}}, {.quiet = true}), IsEmpty());
}

TEST_F(WhatifCommandTest, AnswersPrograms) {
  const Json json = Json::parse(run({{"speedup", "work=4"}}, {.json = true}));
  EXPECT_EQ(json.at("baseline_error"), 0.0);
  EXPECT_GT(json.at("wall_s"), 0.0);
  EXPECT_LT(json.at("predicted_wall_s"), json.at("wall_s"));
  EXPECT_EQ(json.at("verdict").at("stage"), "step");
}

TEST_F(WhatifCommandTest, SaysWhatItCannotRead) {
  std::filesystem::remove(folder_.path() / "timeline.json");
  EXPECT_THROW((void)whatif_command().run({{"RUN", folder_.path().string()}}, {}), UserError);
  EXPECT_THROW((void)whatif_command().run({{"RUN", "nowhere"}}, {}), UserError);
}

}  // namespace
}  // namespace dflash
