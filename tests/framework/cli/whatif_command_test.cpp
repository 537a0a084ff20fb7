// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/whatif_command.h"

#include <filesystem>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "tests/support/example_stages.h"
#include "tests/support/recorded_example.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using testing::StrEq;
using testing::ThrowsMessage;

class WhatifCommandTest : public testing::Test {
 protected:
  WhatifCommandTest() { write_recorded_example(folder_.path()); }

  std::string run(CommandValues values, const CommandOutput& output = {}) const {
    values.insert(values.begin(), {"RUN", folder_.path().string()});
    testing::internal::CaptureStdout();
    EXPECT_EQ(command_.run(values, output), 0);
    return testing::internal::GetCapturedStdout();
  }

  [[nodiscard]] auto asking(CommandValues values) const {
    values.insert(values.begin(), {"RUN", folder_.path().string()});
    return [this, values] { (void)command_.run(values, {}); };
  }

  /// As if that were the types of the stages.
  void give_types(const std::map<std::string, std::string>& types) const {
    const std::filesystem::path file = folder_.path() / "resolved.json";
    Json resolved = Json::parse(read_text(file));
    for (const auto& [stage, type] : types) {
      resolved["graph"]["stages"][stage]["type"] = type;
    }
    replace_durably(file, resolved.dump());
  }

  TemporaryFolder folder_;
  Catalog catalog_ = example_catalog();
  Command command_ = whatif_command(catalog_);
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

TEST_F(WhatifCommandTest, AsksForAChange) {
  EXPECT_THAT(asking({}), ThrowsMessage<UserError>(StartsWith("found no change, allowed: one or more of --speedup ")));
  EXPECT_THAT(asking({{"speedup", "work=2"}, {"speedup", "work=3"}}),
              ThrowsMessage<UserError>(StrEq("--speedup work: found 2 and 3, allowed: one value")));
}

TEST_F(WhatifCommandTest, KnowsWhichStagesCanHaveReplicas) {
  EXPECT_THAT(run({{"replicas", "work=2"}}), HasSubstr("note:      whether 'work' can have replicas is not known"));
  give_types({{"work", "scaler"}});
  const bool is_stateless = catalog_.find("scaler")->info.stateless;
  ASSERT_FALSE(is_stateless);
  EXPECT_THAT(asking({{"replicas", "work=2"}}),
              ThrowsMessage<UserError>(StrEq(
                  "--replicas work: found 2, allowed: 1, since stage type 'scaler' keeps something between firings")));
  Catalog::Entry entry = *catalog_.find("scaler");
  entry.info.type = "free";
  entry.info.stateless = true;
  catalog_.add_entry(entry);
  give_types({{"work", "free"}});
  EXPECT_THAT(run({{"replicas", "work=2"}}), Not(HasSubstr("note:")));
}

TEST_F(WhatifCommandTest, TellsWhereThreadsShareProcessors) {
  const auto on = [this](int processors) {
    write_durably(folder_.path() / "report.json",
                  Json{{"schema", "dflash-report/1"}, {"provenance", {{"hardware", {{"cores", processors}}}}}}.dump());
    return run({{"speedup", "work=4"}});
  };
  EXPECT_THAT(on(2), HasSubstr("note:      8 threads of the run's stages shared 2 processors; "));
  std::filesystem::remove(folder_.path() / "report.json");
  EXPECT_THAT(on(8), Not(HasSubstr("note:")));
}

TEST_F(WhatifCommandTest, SaysWhatItCannotRead) {
  std::filesystem::remove(folder_.path() / "timeline.json");
  EXPECT_THROW(asking({{"speedup", "work=4"}})(), UserError);
  EXPECT_THROW((void)command_.run({{"RUN", "nowhere"}}, {}), UserError);
}

}  // namespace
}  // namespace dflash
