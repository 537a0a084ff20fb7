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

fs::path make_run(const fs::path& run, const std::string& device, const std::string& precision = "auto") {
  fs::create_directories(run);
  std::ofstream(run / "resolved.json") << R"({"precision": ")" << precision << R"(", "device": ")" << device
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

using Options = std::vector<std::pair<std::string, std::string>>;

int run(const fs::path& from, const fs::path& to, const Options& options = {}, const CommandOutput& output = {}) {
  Options values{{"RUN_OR_CHECKPOINT", from.string()}, {"DIR", to.string()}};
  values.insert(values.end(), options.begin(), options.end());
  return export_command(golden_models).run(values, output);
}

Json config_in(const fs::path& folder) { return Json::parse(std::ifstream(folder / "config.json")); }

TEST(ExportCommand, WritesTheMastersInTheTypeThatTheRunComputedIn) {
  const TemporaryFolder temporary;
  int number = 0;
  const auto exported_type = [&](const std::string& device, const std::string& precision) {
    const fs::path folder = temporary.path() / std::to_string(++number);
    EXPECT_EQ(run(make_run(folder / "run", device, precision), folder / "out"), 0);
    return SafetensorsFile(folder / "out/model.safetensors").find("fc.weight")->type;
  };
  EXPECT_EQ(exported_type("cpu", "auto: fp32"), at::kFloat);
  EXPECT_EQ(exported_type("cuda:0", "auto: bf16"), at::kBFloat16);
  EXPECT_EQ(exported_type("cuda:0", "bf16"), at::kBFloat16);
  EXPECT_EQ(exported_type("cuda:0", "fp32"), at::kFloat);
  EXPECT_EQ(exported_type("cpu", "auto"), at::kFloat);  // as earlier versions wrote it
  EXPECT_EQ(exported_type("cuda:0", "auto"), at::kBFloat16);
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
    EXPECT_EQ(run(trained, temporary.path() / "out", {}, {.quiet = quiet}), 0);
    const std::string out = testing::internal::GetCapturedStdout();
    const std::string err = testing::internal::GetCapturedStderr();
    EXPECT_EQ(out.starts_with("exported "), !quiet);
    EXPECT_THAT(out, testing::Not(testing::HasSubstr("warning")));
    EXPECT_EQ(err.starts_with("warning: its parity set is empty"), !quiet);
    EXPECT_TRUE(!quiet || (out.empty() && err.empty()));
  }
}

TEST(ExportCommand, E06WritesTheTrainedBitsUnlessAskedForOthersAndSaysWhichTypeTheyAre) {
  const TemporaryFolder temporary;
  const fs::path trained = make_run(temporary.path() / "run", "cpu");
  run(trained, temporary.path() / "same");
  run(trained, temporary.path() / "half", {{"dtype", "bf16"}});
  const SafetensorsFile same(temporary.path() / "same/model.safetensors");
  for_each_parameter(golden_drafter().weights, [&](const std::string& name, const at::Tensor& value) {
    EXPECT_TRUE(at::equal(same.tensor(name), value)) << name;
  });
  EXPECT_EQ(config_in(temporary.path() / "same").at("dtype"), "float32");
  EXPECT_EQ(SafetensorsFile(temporary.path() / "half/model.safetensors").find("fc.weight")->type, at::kBFloat16);
  EXPECT_EQ(config_in(temporary.path() / "half").at("dtype"), "bfloat16");
}

TEST(ExportCommand, E06ReportsAFloat16TargetBesideABfloat16Drafter) {
  const TemporaryFolder temporary;
  const fs::path trained = make_run(temporary.path() / "run", "cpu");
  const ResolveModels half = [](const Json& models) {
    RunModels resolved = golden_models(models);
    resolved.target_config.dtype = at::kHalf;
    return resolved;
  };
  testing::internal::CaptureStdout();
  export_command(half).run(
      {{"RUN_OR_CHECKPOINT", trained.string()}, {"DIR", (temporary.path() / "out").string()}, {"dtype", "bf16"}},
      {.json = true});
  EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("its weights are bfloat16, the target's float16"));
}

TEST(ExportCommand, WritesTheSpeculatorsLayoutWithTheTargetsPathAsAskedFor) {
  const TemporaryFolder temporary;
  const fs::path trained = make_run(temporary.path() / "run", "cpu");
  run(trained, temporary.path() / "a", {{"format", "speculators"}});
  run(trained, temporary.path() / "b", {{"format", "speculators"}, {"verifier", "Qwen/Qwen3-8B"}});
  const auto verifier = [](const Json& config) { return config.at("speculators_config").at("verifier"); };
  EXPECT_EQ(verifier(config_in(temporary.path() / "a")).at("name_or_path"),
            fs::absolute(test::golden_folder() / "target").lexically_normal().string());
  EXPECT_EQ(verifier(config_in(temporary.path() / "b")).at("name_or_path"), "Qwen/Qwen3-8B");
}

// The fields that SGLang and vLLM read of z-lab's layout.
TEST(ExportCommand, E08WritesWhatServersReadUnedited) {
  const TemporaryFolder temporary;
  run(make_run(temporary.path() / "run", "cpu"), temporary.path() / "out");
  const Json config = config_in(temporary.path() / "out");
  EXPECT_EQ(config.at("architectures"), Json::parse(R"(["DFlashDraftModel"])"));
  EXPECT_EQ(config.at("model_type"), "qwen3");
  EXPECT_FALSE(config.contains("auto_map"));
  EXPECT_EQ(config.at("block_size"), config.at("dflash_config").at("block_size"));
  for (const char* key : {"num_target_layers", "hidden_size", "num_hidden_layers", "num_attention_heads",
                          "num_key_value_heads", "head_dim", "intermediate_size", "layer_types", "hidden_act",
                          "rope_theta", "rms_norm_eps", "max_position_embeddings", "vocab_size", "dtype"}) {
    EXPECT_TRUE(config.contains(key)) << key;
  }
  for (const char* key : {"mask_token_id", "target_layer_ids"}) {
    EXPECT_TRUE(config.at("dflash_config").contains(key)) << key;
  }
}

// z-lab and SGLang count the layer that a feature leaves; vLLM, speculators and transformers the one it enters.
TEST(ExportCommand, E02StatesTheTapsAsEachKindOfEngineNumbersThem) {
  const TemporaryFolder temporary;
  run(make_run(temporary.path() / "run", "cpu"), temporary.path() / "out");
  const Json taps = Json::parse(std::ifstream(temporary.path() / "out/parity.json")).at("taps");
  EXPECT_EQ(taps.at("output_of_layer"), Json(golden_drafter().config.target_layer_ids));
  EXPECT_EQ(taps.at("input_of_layer").at(0), golden_drafter().config.target_layer_ids.at(0) + 1);
}

TEST(ExportCommand, RefusesWordsThatItDoesNotKnowAndNamesTheNearest) {
  const TemporaryFolder temporary;
  const auto exporting = [&](const Options& options) {
    return [&temporary, options] { run(temporary.path(), temporary.path() / "out", options); };
  };
  EXPECT_THAT(exporting({{"format", "zlib"}}),
              ThrowsMessage<UserError>(HasSubstr("unknown --format 'zlib'; did you mean 'zlab'?")));
  EXPECT_THAT(exporting({{"dtype", "bf61"}}), ThrowsMessage<UserError>(HasSubstr("allowed: trained | fp32 | bf16")));
  EXPECT_THAT(exporting({{"verifier", "x"}}), ThrowsMessage<UserError>(HasSubstr("--format zlab has none")));
}

TEST(ExportCommand, RefusesAMissingFolder) {
  EXPECT_THROW(export_command(golden_models).run({{"RUN_OR_CHECKPOINT", "x"}}, {}), UserError);
}

}  // namespace
}  // namespace dflash
