// SPDX-License-Identifier: Apache-2.0
#include "stages/session/resolve_models.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A copy of the shipped target and the shipped drafter, to be spoilt.
class ResolveModels : public testing::Test {
 protected:
  ResolveModels() {
    fs::copy(DFLASH_SOURCE_DIR "/configs/tiny/target", folder_.path() / "target");
    target_.path.set((folder_.path() / "target").string());
    drafter_.config.set(DFLASH_SOURCE_DIR "/configs/tiny/drafter.json");
  }
  ResolvedModels resolve(const std::vector<std::string>& given = {"target", "drafter"}) {
    Diagnostics diagnostics;
    GraphMistakes mistakes{diagnostics};
    ResolvedModels resolved = resolve_models(target_, drafter_, env_, given, mistakes);
    mistakes_ = diagnostics.mistakes();
    return resolved;
  }
  void change_config(const std::string& key, const Json& value) {
    const fs::path file = folder_.path() / "target" / "config.json";
    Json json = Json::parse(std::ifstream{file});
    json[key] = value;
    std::ofstream{file} << json;
  }

  TemporaryFolder folder_;
  TargetSection target_;
  DrafterSection drafter_;
  RunEnv env_{.device = "cpu", .precision = "auto"};
  std::vector<std::string> mistakes_;
};

TEST_F(ResolveModels, ReadsTargetAndDrafter) {
  const ResolvedModels resolved = resolve();
  EXPECT_THAT(mistakes_, IsEmpty());
  ASSERT_NE(resolved.models, nullptr);
  EXPECT_EQ(resolved.models->drafter_config().block_size, 8);
  EXPECT_EQ(resolved.codec->mask_id, 3);
}

TEST_F(ResolveModels, KnowsNoMaskTokenWithoutADrafter) {
  EXPECT_EQ(resolve({"target"}).codec->mask_id, kNoToken);
  EXPECT_EQ(resolve({}).models, nullptr);
  EXPECT_THAT(mistakes_, IsEmpty());
}

TEST_F(ResolveModels, NeedsATargetForADrafter) {
  EXPECT_EQ(resolve({"drafter"}).models, nullptr);
  EXPECT_THAT(mistakes_, ElementsAre(HasSubstr("/models/drafter: needs the section models.target")));
}

TEST_F(ResolveModels, RefusesBf16OnTheCpu) {
  env_.precision = "bf16";
  (void)resolve();
  EXPECT_THAT(mistakes_, ElementsAre(HasSubstr("/run/precision: found \"bf16\", allowed on the CPU: auto | fp32")));
}

TEST_F(ResolveModels, TellsAllThatIsWrongWithAFolderAtOnce) {
  change_config("vocab_size", 512);
  std::ofstream{folder_.path() / "target" / "tokenizer_config.json"} << "{";
  drafter_.taps.set({9});
  EXPECT_EQ(resolve().models, nullptr);
  EXPECT_THAT(mistakes_, ElementsAre(HasSubstr("tokenizer_config.json:1:2: not JSON"),
                                     AllOf(HasSubstr("/models/target/path: weights in"), HasSubstr("[512, 128]")),
                                     HasSubstr("/models/drafter/taps: found [9]")));
}

TEST_F(ResolveModels, E13RefusesATokenizerWithIdsBeyondTheVocabulary) {
  change_config("vocab_size", 512);
  (void)resolve({"target"});
  EXPECT_THAT(mistakes_, testing::Contains(HasSubstr("the tokenizer has ids up to 1023, but vocab_size")));
}

TEST_F(ResolveModels, E13TakesATokenizerWithFewerIdsThanTheVocabulary) {
  target_.weights.set(TargetSection::Weights::kRandom);
  change_config("vocab_size", 1088);
  const ResolvedModels resolved = resolve({"target"});
  EXPECT_THAT(mistakes_, IsEmpty());
  ASSERT_NE(resolved.codec, nullptr);
  EXPECT_EQ(resolved.codec->vocab_rows, 1088);
}

TEST_F(ResolveModels, RefusesThinkingWhereTheTemplateDoesNotKnowIt) {
  target_.thinking.set(Thinking::kOff);
  (void)resolve({"target"});
  EXPECT_THAT(mistakes_,
              ElementsAre(HasSubstr("/models/target/thinking: found \"off\", allowed: unset; the target's")));
}

TEST_F(ResolveModels, DoesNotAskRandomWeightsForAFile) {
  fs::remove(folder_.path() / "target" / "model.safetensors");
  (void)resolve({"target"});
  EXPECT_THAT(mistakes_, ElementsAre(HasSubstr("has no weights")));
  target_.weights.set(TargetSection::Weights::kRandom);
  EXPECT_NE(resolve({"target"}).models, nullptr);
  EXPECT_THAT(mistakes_, IsEmpty());
}

}  // namespace
}  // namespace dflash
