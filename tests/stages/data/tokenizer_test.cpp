// SPDX-License-Identifier: Apache-2.0
#include "stages/data/tokenizer.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "tests/stages/data/byte_vocabulary.h"

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kTiny = DFLASH_SOURCE_DIR "/configs/tiny/target/tokenizer.json";
constexpr const char* kQwenStyle = DFLASH_SOURCE_DIR "/tests/data/tokenizer/qwen_style.json";

Tokenizer made_of(const nlohmann::json& content) { return {content.dump(), "t.json"}; }

nlohmann::json golden(const std::string& name) {
  std::ifstream file{std::string{DFLASH_SOURCE_DIR "/tests/data/tokenizer/"} + name};
  return nlohmann::json::parse(file);
}

/// What our tokenizer makes of the texts of a golden file, in the form of that file.
nlohmann::json repeated(const Tokenizer& tokenizer, const nlohmann::json& cases) {
  nlohmann::json result = nlohmann::json::array();
  for (const nlohmann::json& expected : cases) {
    const std::vector<std::int32_t> ids = tokenizer.encode(expected["text"].get<std::string>());
    result.push_back({{"text", expected["text"]},
                      {"ids", ids},
                      {"decoded", tokenizer.decode(ids)},
                      {"decoded_without_special", tokenizer.decode(ids, true)}});
  }
  return result;
}

TEST(Tokenizer, GivesTheIdsOfTheReferencePackageForTheTinyTarget) {
  const nlohmann::json cases = golden("tiny_golden.json");
  ASSERT_GE(cases.size(), 150U);
  EXPECT_EQ(repeated(Tokenizer::load(kTiny), cases), cases);
}

TEST(Tokenizer, GivesTheIdsOfTheReferencePackageWithNormalizerSplitPatternAndFlaggedAddedTokens) {
  const nlohmann::json cases = golden("qwen_style_golden.json");
  ASSERT_GE(cases.size(), 150U);
  EXPECT_EQ(repeated(Tokenizer::load(kQwenStyle), cases), cases);
}

TEST(Tokenizer, KnowsItsTokensByName) {
  const Tokenizer tokenizer = Tokenizer::load(kTiny);
  EXPECT_EQ(tokenizer.vocab_size(), 1024);
  EXPECT_EQ(tokenizer.id_of("<|im_end|>"), 2);
  EXPECT_EQ(tokenizer.id_of("no such token"), std::nullopt);
  EXPECT_TRUE(tokenizer.is_special(2));
  EXPECT_FALSE(tokenizer.is_special(4));
  EXPECT_FALSE(tokenizer.is_special(-1));
  EXPECT_EQ(tokenizer.bytes_of(*tokenizer.id_of("Ġt")), " t");
}

TEST(Tokenizer, HashFollowsTheFilesText) {
  nlohmann::json content = byte_tokenizer_json();
  const std::uint64_t before = made_of(content).hash();
  EXPECT_EQ(made_of(content).hash(), before);
  content["version"] = "1.1";
  EXPECT_NE(made_of(content).hash(), before);
}

TEST(Tokenizer, SpansCoverTheTextWithoutNormalizer) {
  std::vector<TokenSpan> spans;
  const Tokenizer tokenizer = made_of(byte_tokenizer_json({"ab", "abc"}, {"a b", "ab c"}));
  EXPECT_THAT(tokenizer.encode("abcab!", spans), ElementsAre(257, 256, '!'));
  EXPECT_THAT(spans, ElementsAre(testing::FieldsAre(0, 3), testing::FieldsAre(3, 5), testing::FieldsAre(5, 6)));
}

TEST(Tokenizer, SpansPointIntoTheTextBeforeNormalization) {
  nlohmann::json content = byte_tokenizer_json();
  content["normalizer"] = {{"type", "NFC"}};
  std::vector<TokenSpan> spans;
  const std::vector<std::int32_t> ids = made_of(content).encode("xe\u0301y", spans);
  EXPECT_THAT(ids, testing::SizeIs(4));  // x, two bytes of U+00E9, y
  EXPECT_THAT(spans.front(), testing::FieldsAre(0, 1));
  EXPECT_THAT(spans.back(), testing::FieldsAre(4, 5));
}

TEST(Tokenizer, PrefersAWholeEntryOnlyWhereMergesAreIgnored) {
  nlohmann::json content = byte_tokenizer_json({"ab", "cd", "abcd"}, {"a b"});
  EXPECT_THAT(made_of(content).encode("abcd"), ElementsAre(256, 'c', 'd'));
  content["model"]["ignore_merges"] = true;
  EXPECT_THAT(made_of(content).encode("abcd"), ElementsAre(258));
}

TEST(Tokenizer, ReplacesBytesOfNoCharacterInADecodedText) {
  const Tokenizer tokenizer = made_of(byte_tokenizer_json());
  EXPECT_EQ(tokenizer.decode(std::vector<std::int32_t>{'a', 0xE2, 0x82, 'b'}), "a\uFFFDb");
  EXPECT_THAT(tokenizer.decode(std::vector<std::int32_t>{-1, 256, 100000}), IsEmpty());
}

TEST(Tokenizer, RefusesTextThatIsNotUtf8) {
  const Tokenizer tokenizer = made_of(byte_tokenizer_json());
  EXPECT_THAT([&] { (void)tokenizer.encode("ab\xFF"); }, testing::ThrowsMessage<UserError>(HasSubstr("byte 2")));
}

}  // namespace
}  // namespace dflash
