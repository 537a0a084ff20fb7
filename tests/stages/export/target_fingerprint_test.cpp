// SPDX-License-Identifier: Apache-2.0
#include "stages/export/target_fingerprint.h"

#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Optional;

class TargetFingerprint : public testing::Test {
 protected:
  TargetFingerprint() {
    write("target/tokenizer.json", "{}");
    write("target/model.safetensors", std::string(100'000, 'a'));
  }
  void write(const std::string& name, const std::string& text) {
    const fs::path path = folder_.path() / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  [[nodiscard]] std::string found() const { return target_fingerprint(folder_.path() / "target"); }

  TemporaryFolder folder_;
};

TEST_F(TargetFingerprint, IsThatOfTheSameFilesAnywhere) {
  fs::copy(folder_.path() / "target", folder_.path() / "copy");
  EXPECT_EQ(target_fingerprint(folder_.path() / "copy"), found());
  write("target/README.md", "words");
  EXPECT_EQ(target_fingerprint(folder_.path() / "copy"), found());
}

TEST_F(TargetFingerprint, IsAnotherForOtherWeightsOrAnotherTokenizer) {
  const std::string before = found();
  write("target/model.safetensors", std::string(99'990, 'a') + "0123456789");
  const std::string after = found();
  EXPECT_NE(after, before);
  write("target/tokenizer.json", "{ }");
  EXPECT_NE(found(), after);
}

TEST_F(TargetFingerprint, E13TellsADrafterOfAnotherTarget) {
  const fs::path target = folder_.path() / "target";
  write("drafter/parity.json", Json{{"target", target_note(target)}}.dump());
  EXPECT_EQ(other_target(folder_.path() / "drafter", target), std::nullopt);
  write("target/model.safetensors", std::string(100'000, 'b'));
  EXPECT_THAT(other_target(folder_.path() / "drafter", target), Optional(HasSubstr("trained against another target")));
}

TEST_F(TargetFingerprint, A03TellsADrafterOfAnotherTemplateOrThinkingMode) {
  const Json then{{"template", "00ff"}, {"thinking", "off"}};
  write("drafter/parity.json", Json{{"chat", then}}.dump());
  const auto asked = [&](const Json& chat) { return other_chat(folder_.path() / "drafter", chat); };
  EXPECT_EQ(asked(then), std::nullopt);
  EXPECT_EQ(asked(nullptr), std::nullopt);
  EXPECT_THAT(asked({{"template", "00ff"}, {"thinking", "on"}}), Optional(HasSubstr("do not compare")));
  write("drafter/parity.json", R"({"chat": null})");
  EXPECT_EQ(asked(then), std::nullopt);
}

TEST_F(TargetFingerprint, KnowsNothingOfADrafterThatDoesNotTell) {
  EXPECT_EQ(other_target(folder_.path(), folder_.path() / "target"), std::nullopt);
  write("parity.json", "{}");
  EXPECT_EQ(other_target(folder_.path(), folder_.path() / "target"), std::nullopt);
  write("parity.json", "{ half");
  EXPECT_THROW(other_target(folder_.path(), folder_.path() / "target"), UserError);
}

}  // namespace
}  // namespace dflash
