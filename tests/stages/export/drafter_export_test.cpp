// SPDX-License-Identifier: Apache-2.0
#include "stages/export/drafter_export.h"

#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "stages/evaluate/network_models.h"
#include "tests/stages/evaluate/zlab_golden.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;
using test::golden_decode;
using test::golden_drafter;
using test::golden_prompts;
using test::golden_target;
using ::testing::HasSubstr;

DrafterExportResult export_golden(const fs::path& folder, const DrafterWeights& weights = golden_drafter().weights) {
  static const std::vector<std::vector<std::int64_t>> prompts = golden_prompts();
  return write_export({.config = golden_drafter().config,
                       .weights = weights,
                       .dtype = c10::ScalarType::BFloat16,
                       .decode_models =
                           [](const StoredDrafter& drafter) {
                             return network_models(golden_target().config, golden_target().weights, drafter.config,
                                                   drafter.weights, 40);
                           },
                       .prompts = prompts,
                       .answers = {.new_tokens = 40, .block_size = 8}},
                      folder);
}

Json read_json(const fs::path& path) {
  std::ifstream file(path);
  return Json::parse(file);
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

TEST(DrafterExport, ComputesItsParitySetAsZlabsOwnCodeDecodes) {
  const TemporaryFolder temporary;
  const DrafterExportResult result = export_golden(temporary.path() / "export");
  EXPECT_DOUBLE_EQ(result.tau.value(), golden_decode().at("tau").get<double>());
  const Json parity = read_json(temporary.path() / "export" / "parity.json");
  ASSERT_EQ(parity.at("prompts").size(), golden_prompts().size());
  EXPECT_EQ(parity.at("prompts")[3].at("accepted"), golden_decode().at("answers")[3].at("accepted"));
  EXPECT_EQ(parity.at("prompts")[3].at("tokens"), golden_decode().at("answers")[3].at("tokens"));
  EXPECT_EQ(parity.at("prompts")[1].at("first_draft").size(), 7U);
}

TEST(DrafterExport, ComputesItsParitySetFromTheWrittenBytes) {
  // Weights that differ from the written ones by less than half a unit of bf16 make the same parity set.
  const TemporaryFolder temporary;
  export_golden(temporary.path() / "plain");
  const DrafterWeights nudged =
      map_parameters(golden_drafter().weights, [](const at::Tensor& value) { return value * (1.0 + 1e-4); });
  export_golden(temporary.path() / "nudged", nudged);
  EXPECT_EQ(read_json(temporary.path() / "plain/parity.json"), read_json(temporary.path() / "nudged/parity.json"));
}

TEST(DrafterExport, LeavesTheExportAloneInItsFolder) {
  const TemporaryFolder temporary;
  export_golden(temporary.path() / "export");
  export_golden(temporary.path() / "export" / "");
  EXPECT_THAT(names_in(temporary.path()), ::testing::ElementsAre("export"));
  EXPECT_THAT(names_in(temporary.path() / "export"),
              ::testing::UnorderedElementsAre("config.json", "model.safetensors", "parity.json"));
}

TEST(DrafterExport, RefusesAFolderThatIsNoExport) {
  const TemporaryFolder temporary;
  std::ofstream(temporary.path() / "thesis.txt") << "do not lose";
  EXPECT_THROW(export_golden(temporary.path()), UserError);
  EXPECT_THROW(export_golden(temporary.path() / "thesis.txt"), UserError);
  EXPECT_THAT(names_in(temporary.path()), ::testing::ElementsAre("thesis.txt"));
}

TEST(DrafterExport, KeepsTheEarlierExportWhereTheNewOneFails) {
  const TemporaryFolder temporary;
  export_golden(temporary.path() / "export");
  DrafterWeights broken = golden_drafter().weights;
  broken.norm = at::ones({7});
  EXPECT_THROW(export_golden(temporary.path() / "export", broken), InternalError);
  EXPECT_THAT(names_in(temporary.path()), ::testing::ElementsAre("export"));
  EXPECT_TRUE(fs::exists(temporary.path() / "export" / "parity.json"));
}

}  // namespace
}  // namespace dflash
