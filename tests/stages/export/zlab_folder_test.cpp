// SPDX-License-Identifier: Apache-2.0
#include "stages/export/zlab_folder.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "tests/stages/evaluate/zlab_golden.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using test::golden_drafter;
using ::testing::HasSubstr;

std::vector<NamedTensor> golden_tensors() {
  std::vector<NamedTensor> tensors;
  for_each_parameter(golden_drafter().weights,
                     [&](const std::string& name, const at::Tensor& value) { tensors.emplace_back(name, value); });
  return tensors;
}

std::string refusal_of(const std::vector<NamedTensor>& tensors) {
  const TemporaryFolder folder;
  write_safetensors(folder.path() / "drafter.safetensors", tensors);
  try {
    (void)read_drafter_weights(golden_drafter().config, folder.path() / "drafter.safetensors", at::kFloat);
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ZlabFolder, HoldsExactlyTheTensorsOfTheDrafterInTheTypeAskedFor) {
  const TemporaryFolder folder;
  write_zlab_folder(golden_drafter().config, golden_drafter().weights, at::kBFloat16, folder.path());
  const SafetensorsFile file(folder.path() / "model.safetensors");
  EXPECT_EQ(file.tensors().size(), 11U * 2U + 3U);
  EXPECT_THAT(file.tensors(), ::testing::Each(::testing::Field(&StoredTensor::type, at::kBFloat16)));
  EXPECT_EQ(file.metadata().at("format"), "pt");
  EXPECT_NE(file.find("layers.1.self_attn.k_norm.weight"), nullptr);
}

TEST(ZlabFolder, ComesBackAsItWasWritten) {
  const TemporaryFolder folder;
  write_zlab_folder(golden_drafter().config, golden_drafter().weights, at::kFloat, folder.path());
  const ZlabDrafter read = read_zlab_folder(folder.path(), at::kFloat);
  EXPECT_EQ(drafter_config_json(read.config, "float32"), drafter_config_json(golden_drafter().config, "float32"));
  for_each_parameter(read.weights, [](const std::string& name, const at::Tensor& value) {
    const SafetensorsFile original(test::golden_folder() / "drafter" / "model.safetensors");
    EXPECT_TRUE(at::equal(value, original.tensor(name).to(at::kFloat))) << name;
  });
}

TEST(ZlabFolder, ReadsAFolderThatOthersWrote) {
  const ZlabDrafter read = read_zlab_folder(test::golden_folder() / "drafter", at::kFloat);
  EXPECT_EQ(read.config.block_size, 8);
  EXPECT_EQ(read.weights.fc.scalar_type(), at::kFloat);
}

TEST(ZlabFolder, RefusesAMissingTensorByName) {
  std::vector<NamedTensor> tensors = golden_tensors();
  tensors.erase(tensors.begin());
  EXPECT_THAT(refusal_of(tensors), HasSubstr("'fc.weight' is missing"));
}

TEST(ZlabFolder, RefusesATensorThatIsNotTheDraftersAndNamesTheNearest) {
  std::vector<NamedTensor> tensors = golden_tensors();
  tensors.front().first = "fc.weights";
  EXPECT_THAT(refusal_of(tensors),
              ::testing::AllOf(HasSubstr("'fc.weights' is no parameter of a drafter"), HasSubstr("fc.weight")));
}

TEST(ZlabFolder, RefusesAShapeThatTheConfigurationDoesNotGive) {
  std::vector<NamedTensor> tensors = golden_tensors();
  tensors.front().second = at::zeros({32, 64});
  EXPECT_THAT(refusal_of(tensors), HasSubstr("'fc.weight' has shape [32, 64], the configuration gives [32, 96]"));
}

TEST(ZlabFolder, WarnsOfBidirectionalSlidingLayersOnly) {
  DrafterConfig config = golden_drafter().config;
  EXPECT_THAT(serving_warnings(config), ::testing::IsEmpty());
  config.sliding_causal = false;
  EXPECT_THAT(serving_warnings(config), ::testing::ElementsAre(HasSubstr("SGLang")));
  config.layer_types = {LayerKind::kFull, LayerKind::kFull};
  EXPECT_THAT(serving_warnings(config), ::testing::IsEmpty());
}

}  // namespace
}  // namespace dflash
