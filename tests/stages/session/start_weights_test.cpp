// SPDX-License-Identifier: Apache-2.0
#include "stages/session/start_weights.h"

#include <filesystem>

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "stages/export/drafter_folder.h"
#include "stages/models/safetensors.h"
#include "stages/session/models.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A stored drafter of the shipped shape, and a graph that starts from it.
class StartWeights : public testing::Test {
 protected:
  StartWeights() {
    config_ = load_drafter_config_with_target();
    fs::create_directories(stored());
    write_drafter_folder(config_, init_drafter(config_, 5), at::kFloat, stored());
    section_.weights.set(stored().string());
  }
  [[nodiscard]] fs::path stored() const { return folder_.path() / "stored"; }
  [[nodiscard]] std::vector<std::string> mistakes() const {
    Diagnostics diagnostics;
    GraphMistakes mistakes{diagnostics};
    check_start_weights(section_, config_, mistakes);
    return diagnostics.mistakes();
  }
  static DrafterConfig load_drafter_config_with_target() {
    DrafterSection section;
    section.config.set(DFLASH_SOURCE_DIR "/configs/tiny/drafter.json");
    Diagnostics diagnostics;
    GraphMistakes mistakes{diagnostics};
    return resolve_drafter_config(section, read_target_config(DFLASH_SOURCE_DIR "/configs/tiny/target"), nullptr,
                                  mistakes)
        .value();
  }

  TemporaryFolder folder_;
  DrafterConfig config_;
  DrafterSection section_;
};

TEST_F(StartWeights, TakesADrafterOfTheSameShapeInEitherLayout) {
  EXPECT_THAT(mistakes(), IsEmpty());
  write_drafter_folder(config_, init_drafter(config_, 5), at::kBFloat16, stored(),
                       {.format = ExportFormat::kSpeculators, .verifier = {"/target", "Qwen3ForCausalLM"}});
  EXPECT_THAT(mistakes(), IsEmpty());
}

TEST_F(StartWeights, E13RefusesAnotherShapeOtherTapsBlockSizeOrMaskNamingBoth) {
  config_.block_size = 4;
  config_.mask_token_id = 5;
  config_.target_layer_ids = {0, 2, 4};
  const std::string file = (stored() / "config.json").string();
  EXPECT_THAT(mistakes(),
              ElementsAre("/models/drafter/weights: " + file + ": block_size: found 8, but the graph has 4",
                          HasSubstr("dflash_config.mask_token_id: found 3, but the graph has 5"),
                          HasSubstr("dflash_config.target_layer_ids: found [1,3,4], but the graph has [0,2,4]")));
}

TEST_F(StartWeights, RefusesWindowsAndCausalityThatDiffer) {
  config_.layer_types = {LayerKind::kSliding, LayerKind::kFull};
  config_.window = 32;
  config_.sliding_causal = false;
  EXPECT_THAT(mistakes(), AllOf(testing::Contains(HasSubstr("layer_types: found")),
                                testing::Contains(HasSubstr("sliding_window: found null, but the graph has 32")),
                                testing::Contains(HasSubstr("is_causal: found null, but the graph has false"))));
}

TEST_F(StartWeights, DoesNotCompareWhatIsOnlyPassedOn) {
  config_.initializer_range = 0.5;
  config_.max_position_embeddings = 77;
  config_.eos_token_id = 9;
  EXPECT_THAT(mistakes(), IsEmpty());
}

TEST_F(StartWeights, RefusesAFolderThatIsMissingOrLacksATensor) {
  DrafterWeights weights = init_drafter(config_, 5);
  std::vector<NamedTensor> tensors;
  for_each_parameter(weights, [&](const std::string& name, at::Tensor& value) {
    if (name != "norm.weight") {
      tensors.emplace_back(name, value);
    }
  });
  write_safetensors(stored() / "model.safetensors", tensors);
  EXPECT_THAT(mistakes(), ElementsAre(AllOf(HasSubstr("/models/drafter/weights: "), HasSubstr("'norm.weight'"))));
  section_.weights.set((folder_.path() / "stord").string());
  EXPECT_THAT(mistakes(), ElementsAre(AllOf(HasSubstr("no such drafter's folder"), HasSubstr("did you mean"))));
}

TEST_F(StartWeights, AreTheDraftersFirstOnes) {
  const Models::Options options{
      .target_path = DFLASH_SOURCE_DIR "/configs/tiny/target", .seed = 1, .drafter_folder = stored()};
  const Models models(options, read_target_config(options.target_path), config_);
  EXPECT_TRUE(at::equal(models.initial_drafter(1).fc, init_drafter(config_, 5).fc));
  EXPECT_FALSE(models.initial_drafter(1).fc.is_alias_of(models.initial_drafter(1).fc));
}

}  // namespace
}  // namespace dflash
