// SPDX-License-Identifier: Apache-2.0
#include "stages/export/parity_command.h"

#include <fstream>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "stages/evaluate/network_models.h"
#include "stages/export/drafter_export.h"
#include "tests/stages/evaluate/zlab_golden.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// An export of the golden drafter beside a copy of its target, which has got a tokenizer.
class ParityCommand : public testing::Test {
 protected:
  ParityCommand() {
    fs::copy(test::golden_folder() / "target", target());
    std::ofstream(target() / "tokenizer.json") << "{}";
    write_golden(ExportFormat::kZlab, {test::golden_prompts()[1], test::golden_prompts()[3]});
  }
  void write_golden(ExportFormat format, const std::vector<std::vector<std::int64_t>>& prompts) {
    const auto& drafter = test::golden_drafter();
    (void)write_export({.config = drafter.config,
                        .weights = drafter.weights,
                        .layout = {.format = format, .verifier = verifier_of(target(), test::golden_target().config)},
                        .dtype = at::kFloat,
                        .decode_models =
                            [](const StoredDrafter& stored) {
                              return network_models(test::golden_target().config, test::golden_target().weights,
                                                    stored.config, stored.weights, 40);
                            },
                        .prompts = prompts,
                        .answers = {.new_tokens = 40, .block_size = 8},
                        .target_folder = target()},
                       drafter_folder());
  }
  [[nodiscard]] fs::path target() const { return folder_.path() / "target"; }
  [[nodiscard]] fs::path drafter_folder() const { return folder_.path() / "export"; }
  /// Exit code and, in `result_`, what it printed.
  int run(const std::string& other_target = "") {
    testing::internal::CaptureStdout();
    int code = -1;
    try {
      code = parity_command().run({{"DIR", drafter_folder().string()}, {"target", other_target}}, {.json = true});
    } catch (const UserError&) {
      (void)testing::internal::GetCapturedStdout();
      throw;
    }
    result_ = Json::parse(testing::internal::GetCapturedStdout());
    return code;
  }
  TemporaryFolder folder_;
  Json result_;
};

TEST_F(ParityCommand, E14RepeatsWhatTheExportMeasuredInEitherLayout) {
  for (const ExportFormat format : {ExportFormat::kZlab, ExportFormat::kSpeculators}) {
    write_golden(format, {test::golden_prompts()[1], test::golden_prompts()[3]});
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(result_.at("equal"), 2);
    EXPECT_EQ(result_.at("differences"), Json::array());
  }
}

TEST_F(ParityCommand, E14TellsWhichPromptsCameOutOtherwise) {
  const fs::path weights = drafter_folder() / "model.safetensors";
  std::vector<NamedTensor> tensors;
  for_each_parameter(test::golden_drafter().weights, [&](const std::string& name, const at::Tensor& value) {
    tensors.emplace_back(name, name == "fc.weight" ? at::zeros_like(value) : value);
  });
  write_safetensors(weights, tensors);
  EXPECT_EQ(run(), 1);
  ASSERT_FALSE(result_.at("differences").empty());
  EXPECT_EQ(result_.at("differences").at(0).at("what"), "accepted");
  testing::internal::CaptureStderr();
  EXPECT_EQ(parity_command().run({{"DIR", drafter_folder().string()}}, {.quiet = true}), 1);
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_THAT(told, HasSubstr("prompt 1: accepted differ from number "));
  EXPECT_LT(told.size(), 2 * 140U) << "two lines, however long the answers";
}

TEST_F(ParityCommand, FindsTheTargetWhereItIsNow) {
  fs::rename(target(), folder_.path() / "moved");
  EXPECT_EQ(run((folder_.path() / "moved").string()), 0);
  EXPECT_THROW(run(), UserError);
}

TEST_F(ParityCommand, E13RefusesAnotherTarget) {
  std::ofstream(target() / "tokenizer.json") << "{ }";
  EXPECT_THAT([&] { run(); }, ThrowsMessage<UserError>(HasSubstr("trained against another target")));
}

TEST_F(ParityCommand, NeedsAnExportWithPrompts) {
  write_golden(ExportFormat::kZlab, {});
  EXPECT_THAT([&] { run(); }, ThrowsMessage<UserError>(HasSubstr("nothing to repeat")));
  fs::remove(drafter_folder() / "parity.json");
  EXPECT_THAT([&] { run(); }, ThrowsMessage<UserError>(HasSubstr("has no parity.json")));
}

TEST_F(ParityCommand, NamesTheFileThatIsDamaged) {
  std::ofstream(drafter_folder() / "parity.json")
      << R"({"new_tokens": 4, "stop_ids": [], "target": 3, "prompts": [{"ids": [1]}]})";
  EXPECT_THAT([&] { run(); }, ThrowsMessage<UserError>(HasSubstr("parity.json' is damaged: ")));
}

}  // namespace
}  // namespace dflash
