// SPDX-License-Identifier: Apache-2.0
#include "stages/data/tokenizer_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "framework/core/error.h"
#include "stages/data/tokenizer.h"
#include "tests/stages/data/byte_vocabulary.h"
#include "tests/support/any_json.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

using Pointer = nlohmann::json::json_pointer;

struct Refusal {
  std::string pointer;
  nlohmann::json value;
  std::string said;  // in the message, besides "t.json: " and the pointer
};

class TokenizerFileRefuses : public testing::TestWithParam<Refusal> {};

TEST_P(TokenizerFileRefuses, WhatIsNotSupportedByNameAndPlace) {
  nlohmann::json content = byte_tokenizer_json({"ab"}, {"a b"});
  content[Pointer{GetParam().pointer}] = GetParam().value;
  EXPECT_THAT([&] { parse_tokenizer_file(content.dump(), "t.json"); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("t.json: " + GetParam().pointer), HasSubstr(GetParam().said))));
}

const nlohmann::json kByteLevel{{"type", "ByteLevel"}, {"add_prefix_space", false}};

INSTANTIATE_TEST_SUITE_P(
    All, TokenizerFileRefuses,
    testing::Values(
        Refusal{"/truncation", {{"max_length", 8}}, "max_length"}, Refusal{"/padding", {{"direction", "Left"}}, "Left"},
        Refusal{"/normalizer", {{"type", "Lowercase"}}, "\"Lowercase\", allowed: NFC"},
        Refusal{"/pre_tokenizer", nullptr, "ByteLevel"},
        Refusal{"/pre_tokenizer", {{"type", "Metaspace"}}, "\"Metaspace\""},
        Refusal{"/pre_tokenizer/add_prefix_space", true, "true is not supported"},
        Refusal{"/pre_tokenizer",
                {{"type", "Sequence"}, {"pretokenizers", {kByteLevel, {{"type", "Split"}}}}},
                "/pretokenizers/1/type: found \"Split\", allowed: nothing after ByteLevel"},
        Refusal{"/pre_tokenizer",
                {{"type", "Sequence"},
                 {"pretokenizers",
                  {{{"type", "Split"}, {"pattern", {{"Regex", "a"}}}, {"behavior", "MergedWithNext"}}, kByteLevel}}},
                "\"MergedWithNext\", allowed: Isolated or Removed"},
        Refusal{"/post_processor", {{"type", "Other"}}, "\"Other\", allowed: ByteLevel, TemplateProcessing"},
        Refusal{"/normalizer", {{"type", "NFC"}, {"form", 1}}, "/normalizer/form: not known here; allowed: type"},
        Refusal{"/model/new", 1, "not known here; allowed: type, dropout"}, Refusal{"/new", 1, "not known here"},
        Refusal{"/pre_tokenizer/new", 1, "not known here"},
        Refusal{"/added_tokens/0", {{"id", 900}, {"content", "x"}, {"new", 1}}, "/added_tokens/0/new: not known"},
        Refusal{"/decoder", nullptr, "ByteLevel"}, Refusal{"/decoder/type", "Metaspace", "ByteLevel"},
        Refusal{"/model/type", "Unigram", "\"Unigram\", allowed: BPE"}, Refusal{"/model/dropout", 0.1, "0.1"},
        Refusal{"/model/byte_fallback", true, "true"}, Refusal{"/model/fuse_unk", true, "true"},
        Refusal{"/model/end_of_word_suffix", "</w>", "</w>"}, Refusal{"/model/continuing_subword_prefix", "##", "##"},
        Refusal{"/model/vocab/ab", -1, "an id from 0"},
        Refusal{"/model/vocab", nlohmann::json::object(), "no byte has a token"},
        Refusal{"/model/merges/0", "a b c", "one space"}, Refusal{"/model/merges/0", "a q", "'aq' is not in the"},
        Refusal{"/model/merges/0", {"a", "b", "c"}, "two tokens"},
        Refusal{"/model/ignore_merges", "yes", "true or false"},
        Refusal{"/added_tokens/0", {{"id", 97}, {"content", "<x>"}}, "id 97 of '<x>' is taken by 'a'"},
        Refusal{"/added_tokens/0", {{"id", 900}, {"content", "ab"}}, "id 900 here and id 256"}));

TEST(TokenizerFile, ReadsMergesAsTextAndAsPairs) {
  nlohmann::json content = byte_tokenizer_json({"ab"}, {"a b"});
  const TokenizerSpec text = parse_tokenizer_file(content.dump(), "t.json");
  content["model"]["merges"] = nlohmann::json::array({nlohmann::json::array({"a", "b"})});
  const TokenizerSpec pairs = parse_tokenizer_file(content.dump(), "t.json");
  EXPECT_THAT(text.merges, testing::ElementsAre(testing::FieldsAre('a', 'b', 256)));
  EXPECT_THAT(pairs.merges, testing::ElementsAre(testing::FieldsAre('a', 'b', 256)));
}

TEST(TokenizerFile, RefusesAnUnknownTokenOnlyWhereABytesTokenIsMissing) {
  nlohmann::json content = byte_tokenizer_json();
  content["model"]["unk_token"] = "<unk>";
  EXPECT_NO_THROW(parse_tokenizer_file(content.dump(), "t.json"));
  content["model"]["vocab"].erase("a");
  EXPECT_THAT([&] { parse_tokenizer_file(content.dump(), "t.json"); },
              ThrowsMessage<UserError>(HasSubstr("t.json: /model/unk_token: found \"<unk>\"")));
}

TEST(TokenizerFile, PassesOverWhatFramesATextWithTokens) {
  nlohmann::json content = byte_tokenizer_json();
  content["post_processor"] = {
      {"type", "Sequence"},
      {"processors", {{{"type", "ByteLevel"}}, {{"type", "TemplateProcessing"}, {"single", nlohmann::json::array()}}}}};
  EXPECT_NO_THROW(parse_tokenizer_file(content.dump(), "t.json"));
}

TEST(TokenizerFile, SplitsDigitsOneByOneOrAsRuns) {
  nlohmann::json content = byte_tokenizer_json({"12", "a1"}, {"1 2", "a 1"});
  content["pre_tokenizer"] = {
      {"type", "Sequence"},
      {"pretokenizers",
       {{{"type", "Digits"}, {"individual_digits", true}}, {{"type", "ByteLevel"}, {"add_prefix_space", false}}}}};
  const auto ids = [&] { return Tokenizer{content.dump(), "t.json"}.encode("a12"); };
  EXPECT_THAT(ids(), testing::ElementsAre('a', '1', '2'));
  content["pre_tokenizer"]["pretokenizers"][0]["individual_digits"] = false;
  EXPECT_THAT(ids(), testing::ElementsAre('a', 256));
}

TEST(TokenizerFile, SaysWhereTextIsNotJson) {
  EXPECT_THAT([] { parse_tokenizer_file("{\"a\": \n ]", "t.json"); },
              ThrowsMessage<UserError>(HasSubstr("t.json:2:2: not JSON: ")));
}

// A file that was spoilt anywhere gives a tokenizer or a user's error, nothing else.
RC_GTEST_PROP(TokenizerFile, ReadsOrRefusesAnyChangeOfAFile, ()) {
  nlohmann::json content = byte_tokenizer_json({"ab", "abc"}, {"a b", "ab c"});
  content["added_tokens"] = {{{"id", 258}, {"content", "<|x|>"}, {"special", true}}};
  content["normalizer"] = {{"type", "NFC"}};
  try {
    const Tokenizer tokenizer{mutated(content).dump(), "t.json"};
    (void)tokenizer.decode(tokenizer.encode("abc <|x|> \n"));
  } catch (const UserError& error) {
    RC_ASSERT(std::string_view{error.what()}.find("json.exception") == std::string_view::npos);
  }
}

}  // namespace
}  // namespace dflash
