// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/sweep_session.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(SweepSession, PutsAVariantsChangesBehindThoseOfAll) {
  const GraphRequest request = request_of({.path = "g.json", .overlays = {"a"}, .swaps = {"b=1"}, .sets = {"c=1"}},
                                          {.name = "v", .overlays = {"d"}, .swaps = {"b=2"}, .sets = {"c=2"}});
  EXPECT_EQ(request.path, "g.json");
  EXPECT_THAT(request.overlays, ElementsAre("a", "d"));
  EXPECT_THAT(request.swaps, ElementsAre("b=1", "b=2"));
  EXPECT_THAT(request.sets, ElementsAre("c=1", "c=2"));
}

TEST(SweepSession, TellsWhatAProgramSaidThatFailed) {
  const TemporaryFolder folder;
  const Sweep sweep{.program = "/bin/ls",  // which knows none of our options
                    .name = "ls",
                    .graph = {.path = "g.json"},
                    .variants = {{.name = "v"}},
                    .resolved = {Json::object()},
                    .directory = folder.path(),
                    .rounds = 1,
                    .quiet = true};
  const SweepResult result = run_sweep(sweep);
  const SweepRun& run = result.rows.at(0).runs.at(0);
  EXPECT_NE(run.code, 0);
  EXPECT_THAT(run.text, HasSubstr("ls"));
  EXPECT_THAT(read_text(folder.path() / "v-1.log"), HasSubstr("ls"));
  EXPECT_FALSE(result.best);
  EXPECT_EQ(Json::parse(read_text(folder.path() / "sweep.json")).at("complete"), true);
}

TEST(SweepSession, GivesEveryVariantThePlugins) {
  const TemporaryFolder folder;
  const std::filesystem::path program = folder.path() / "says_its_arguments";
  write_durably(program, "#!/bin/sh\necho \"$@\" >&2\nexit 1\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const Sweep sweep{.program = program.string(),
                    .name = "app",
                    .graph = {.path = "g.json"},
                    .plugins = {"a.so", "b.so"},
                    .variants = {{.name = "v"}},
                    .resolved = {Json::object()},
                    .directory = folder.path() / "sweep",
                    .rounds = 1,
                    .quiet = true};
  EXPECT_THAT(run_sweep(sweep).rows.at(0).runs.at(0).text, HasSubstr("--plugin a.so --plugin b.so"));
}

}  // namespace
}  // namespace dflash
