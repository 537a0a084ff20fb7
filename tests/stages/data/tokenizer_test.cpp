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

Tokenizer made_of(const nlohmann::json& content) { return {content.dump(), "t.json"}; }

const std::string kFolder = DFLASH_SOURCE_DIR "/tests/data/tokenizer/";

nlohmann::json golden(const std::string& name) {
  std::ifstream file{kFolder + name};
  return nlohmann::json::parse(file);
}

/// What our tokenizer makes of the texts of a golden file, in the form of that file.
nlohmann::json repeated(const Tokenizer& tokenizer, const nlohmann::json& cases) {
  nlohmann::json result = nlohmann::json::array();
  for (const nlohmann::json& expected : cases) {
    const std::string text = expected["text"];
    const std::vector<std::int32_t> ids = tokenizer.encode(text);
    const std::string decoded = tokenizer.decode(ids);
    const std::string plain = tokenizer.decode(ids, true);
    nlohmann::json made{{"text", text}, {"ids", ids}};
    if (decoded != text) {
      made["decoded"] = decoded;
    }
    if (plain != decoded) {
      made["decoded_without_special"] = plain;
    }
    result.push_back(std::move(made));
  }
  return result;
}

struct Style {
  std::string tokenizer;
  std::string golden;
};

class TokenizerGolden : public testing::TestWithParam<Style> {};

TEST_P(TokenizerGolden, GivesTheIdsAndTextsOfTheReferencePackage) {
  const nlohmann::json cases = golden(GetParam().golden);
  ASSERT_GE(cases.size(), 250U);
  const nlohmann::json found = repeated(Tokenizer::load(GetParam().tokenizer), cases);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    ASSERT_EQ(found[i], cases[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(All, TokenizerGolden,
                         testing::Values(Style{kTiny, "tiny_golden.json"},
                                         Style{kFolder + "qwen_style.json", "qwen_style_golden.json"},
                                         Style{kFolder + "smollm2_style.json", "smollm2_style_golden.json"},
                                         Style{kFolder + "llama3_style.json", "llama3_style_golden.json"}));

TEST(Tokenizer, BytesWithoutATokenVanishAndTheirNeighboursMeet) {
  nlohmann::json content = byte_tokenizer_json({"ab"}, {"a b"});
  content["model"]["vocab"].erase("Q");
  const Tokenizer tokenizer = made_of(content);
  std::vector<TokenSpan> spans;
  EXPECT_THAT(tokenizer.encode("QQaQb!Q", spans), ElementsAre(256, '!'));
  EXPECT_THAT(spans, ElementsAre(testing::FieldsAre(0, 5), testing::FieldsAre(5, 7)));
  EXPECT_THAT(tokenizer.encode("QQ"), IsEmpty());
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
