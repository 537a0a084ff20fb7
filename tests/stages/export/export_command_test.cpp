// SPDX-License-Identifier: Apache-2.0
#include "stages/export/export_command.h"

#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/checkpoint/checkpoint_store.h"
#include "framework/core/error.h"
#include "tests/stages/evaluate/zlab_golden.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;
using test::golden_drafter;
using testing::HasSubstr;
using testing::ThrowsMessage;

RunModels golden_models(const Json& models) {
  EXPECT_EQ(models.at("target").at("path"), "golden");
  return {.target_folder = test::golden_folder() / "target",
          .target_config = test::golden_target().config,
          .drafter_config = golden_drafter().config};
}

fs::path make_run(const fs::path& run, const std::string& device) {
  fs::create_directories(run);
  std::ofstream(run / "resolved.json") << R"({"precision": "auto", "device": ")" << device
                                       << R"(", "graph": {"models": {"target": {"path": "golden"}}}})";
  CheckpointStore(run / "checkpoints").write(5, std::nullopt, [](const fs::path& folder) {
    std::vector<NamedTensor> masters;
    for_each_parameter(golden_drafter().weights,
                       [&](const std::string& name, const at::Tensor& value) { masters.emplace_back(name, value); });
    fs::create_directories(folder / "drafter");
    write_safetensors(folder / "drafter" / "drafter.safetensors", masters);
  });
  return run;
}

int run(const fs::path& from, const fs::path& to, const std::string& format = "zlab",
        const CommandOutput& output = {}) {
  return export_command(golden_models)
      .run({{"RUN_OR_CHECKPOINT", from.string()}, {"DIR", to.string()}, {"format", format}}, output);
}

TEST(ExportCommand, WritesTheMastersInTheTypeThatTheRunComputedIn) {
  const TemporaryFolder temporary;
  EXPECT_EQ(run(make_run(temporary.path() / "cpu", "cpu"), temporary.path() / "a"), 0);
  EXPECT_EQ(run(make_run(temporary.path() / "gpu", "cuda:0"), temporary.path() / "b"), 0);
  EXPECT_EQ(SafetensorsFile(temporary.path() / "a/model.safetensors").find("fc.weight")->type, at::kFloat);
  EXPECT_EQ(SafetensorsFile(temporary.path() / "b/model.safetensors").find("fc.weight")->type, at::kBFloat16);
}

TEST(ExportCommand, DecodesThePromptsOfTheExportThatTheRunWrote) {
  const TemporaryFolder temporary;
  const fs::path folder = make_run(temporary.path() / "run", "cpu");
  fs::create_directories(folder / "export");
  std::ofstream(folder / "export/parity.json")
      << Json{{"new_tokens", 40}, {"stop_ids", Json::array()}, {"prompts", {{{"ids", test::golden_prompts()[1]}}}}}
             .dump();
  run(folder, temporary.path() / "out");
  std::ifstream file(temporary.path() / "out/parity.json");
  EXPECT_EQ(Json::parse(file).at("prompts")[0].at("accepted"), test::golden_decode().at("answers")[1].at("accepted"));
}

TEST(ExportCommand, NamesTheFileOfARunThatIsDamaged) {
  const TemporaryFolder temporary;
  const fs::path folder = make_run(temporary.path() / "run", "cpu");
  fs::create_directories(folder / "export");
  const auto exporting = [&] { run(folder, temporary.path() / "out"); };
  for (const char* parity : {"{ half", R"({"new_tokens": 40.5, "stop_ids": [], "prompts": []})",
                             R"({"new_tokens": 4, "stop_ids": [1e300], "prompts": []})",
                             R"({"new_tokens": "40", "stop_ids": [], "prompts": []})", R"({"prompts": [3]})"}) {
    std::ofstream(folder / "export/parity.json") << parity;
    EXPECT_THAT(exporting, ThrowsMessage<UserError>(HasSubstr("parity.json' is damaged: "))) << parity;
  }
  for (const char* resolved :
       {R"({"graph": 3})", R"({"device": 1, "graph": {"models": {"target": {"path": "golden"}}}})"}) {
    fs::remove(folder / "export/parity.json");
    std::ofstream(folder / "resolved.json") << resolved;
    EXPECT_THAT(exporting, ThrowsMessage<UserError>(HasSubstr("resolved.json' is damaged: "))) << resolved;
  }
}

TEST(ExportCommand, WarnsOnStandardErrorAndSaysNothingWhenQuiet) {
  const TemporaryFolder temporary;
  const fs::path trained = make_run(temporary.path() / "run", "cpu");
  for (const bool quiet : {false, true}) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    EXPECT_EQ(run(trained, temporary.path() / "out", "zlab", {.quiet = quiet}), 0);
    const std::string out = testing::internal::GetCapturedStdout();
    const std::string err = testing::internal::GetCapturedStderr();
    EXPECT_EQ(out.starts_with("exported "), !quiet);
    EXPECT_THAT(out, testing::Not(testing::HasSubstr("warning")));
    EXPECT_EQ(err.starts_with("warning: its parity set is empty"), !quiet);
    EXPECT_TRUE(!quiet || (out.empty() && err.empty()));
  }
}

TEST(ExportCommand, RefusesFormatsByName) {
  const TemporaryFolder temporary;
  EXPECT_THROW(run(temporary.path(), temporary.path() / "out", "speculators"), UserError);
  EXPECT_THROW(run(temporary.path(), temporary.path() / "out", "zlib"), UserError);
}

TEST(ExportCommand, RefusesAMissingFolder) {
  EXPECT_THROW(export_command(golden_models).run({{"RUN_OR_CHECKPOINT", "x"}}, {}), UserError);
}

}  // namespace
}  // namespace dflash
