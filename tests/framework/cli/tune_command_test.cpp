// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/tune_command.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "tests/support/recorded_example.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class TuneCommandTest : public testing::Test {
 protected:
  TuneCommandTest() { write_recorded_example(folder_.path()); }

  std::string run(CommandValues values, const CommandOutput& output = {}) const {
    values.insert(values.begin(), {"RUN", folder_.path().string()});
    testing::internal::CaptureStdout();
    EXPECT_EQ(tune_command().run(values, output), 0);
    return testing::internal::GetCapturedStdout();
  }

  TemporaryFolder folder_;
};

TEST_F(TuneCommandTest, PrintsWhatItAdvises) {
  const std::string table = run({});
  EXPECT_THAT(table, HasSubstr("edge or buffer"));
  EXPECT_THAT(table, HasSubstr("data.out->work.in"));
  EXPECT_THAT(table, HasSubstr("queue"));
}

TEST_F(TuneCommandTest, WritesAnOverlayAndChangesNothing) {
  const std::string file = (folder_.path() / "overlay.json").string();
  EXPECT_THAT(run({{"output", file}}), HasSubstr("overlay: " + file));
  const Json overlay = Json::parse(std::ifstream{file});
  EXPECT_EQ(overlay.at("edges").size(), 3U);
  EXPECT_EQ(overlay.at("edges").at(0).at("capacity").at("items"), 1);
  EXPECT_EQ(overlay.at("stages").at("queue").at("params").at("capacity"), 2);
  EXPECT_FALSE(overlay.at("stages").contains("data"));
}

TEST_F(TuneCommandTest, AnswersPrograms) {
  const Json json = Json::parse(run({{"bytes", "1MiB"}}, {.json = true}));
  EXPECT_EQ(json.at("budget_bytes"), 1 << 20);
  EXPECT_EQ(json.at("capacities").size(), 4U);
  EXPECT_TRUE(json.at("overlay").is_null());
}

TEST_F(TuneCommandTest, ReplacesNoRecordOfARun) {
  const std::string record = (folder_.path() / "timeline.json").string();
  EXPECT_THAT([&] { (void)tune_command().run({{"RUN", folder_.path().string()}, {"output", record}}, {}); },
              ThrowsMessage<UserError>("--output " + record + ": found a record of a run, allowed: another file"));
  EXPECT_THAT(run({}), HasSubstr("edge or buffer"));
}

TEST_F(TuneCommandTest, NamesADamagedGraph) {
  for (const char* graph : {R"({"stages": {}})", R"({"stages": {}, "edges": [3]})",
                            R"({"stages": {}, "edges": [{"from": 1, "to": "b.in", "capacity": {"bytes": 3}}]})",
                            R"({"stages": 3, "edges": []})"}) {
    std::ofstream{folder_.path() / "resolved.json"} << R"({"graph": )" << graph << "}";
    EXPECT_THAT(
        [&] {
          (void)tune_command().run({{"RUN", folder_.path().string()}, {"output", (folder_.path() / "o.json").string()}},
                                   {});
        },
        ThrowsMessage<UserError>(HasSubstr("resolved.json' is damaged: ")))
        << graph;
  }
}

TEST_F(TuneCommandTest, RefusesABudgetThatIsNone) {
  for (const char* text : {"4", "much", "0B", "1KiB"}) {
    EXPECT_THROW((void)tune_command().run({{"RUN", folder_.path().string()}, {"bytes", text}}, {}), UserError) << text;
  }
}

}  // namespace
}  // namespace dflash
