// SPDX-License-Identifier: Apache-2.0
#include "framework/core/json_syntax.h"

#include <gmock/gmock.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

std::string refusal(std::string_view text) {
  try {
    (void)parse_json(text, "a.json");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(JsonSyntax, NamesLineAndColumnInPlainWords) {
  EXPECT_EQ(refusal("{\n  \"a\": [1,,2]\n}"), "a.json:2:11: not JSON: unexpected ','; expected '[', '{', or a literal");
  EXPECT_THAT(refusal("{\"a\": nul}"), HasSubstr("a.json:1:10: not JSON: invalid literal"));
  EXPECT_THAT(refusal(""), HasSubstr("a.json:1:1: not JSON: unexpected end of input"));
  EXPECT_THAT(refusal("1e999"), HasSubstr("a.json:1:1: not JSON: number overflow"));
  EXPECT_THAT(refusal("\"\xFF\""), HasSubstr("a.json:1:2: not JSON: invalid string: ill-formed UTF-8"));
}

TEST(JsonSyntax, KeepsTheParsersOwnNamesToItself) {
  for (const char* text : {"{", "[1", "nul", "{\"a\" 1}", "1e999", "\"a"}) {
    EXPECT_THAT(refusal(text), Not(HasSubstr("exception")));
    EXPECT_THAT(refusal(text), Not(HasSubstr("syntax error")));
  }
}

TEST(JsonSyntax, TakesCommentsWhereTheyAreAllowed) {
  EXPECT_EQ(parse_json("[1] // one", "a", /*comments=*/true), Json{1});
  EXPECT_THAT([] { (void)parse_json("[1] // one", "a"); }, ThrowsMessage<UserError>(HasSubstr("a:1:5: not JSON")));
}

TEST(JsonSyntax, SaysWhatIsDamagedInAFileOfARun) {
  const auto reading = [](const Json& json) {
    return [json] { return read_written(json, "f", [](const Json& read) { return read.at("a").get<int>(); }); };
  };
  EXPECT_EQ(reading({{"a", 3}})(), 3);
  EXPECT_THAT(reading({{"a", "x"}}), ThrowsMessage<UserError>("'f' is damaged: type must be number, but is string"));
  EXPECT_THAT(reading(Json::object()), ThrowsMessage<UserError>("'f' is damaged: key 'a' not found"));
  EXPECT_THAT(reading(3), ThrowsMessage<UserError>("'f' is damaged: it is no JSON object"));
}

std::string nested(std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); }

// Copying, comparing and writing a value goes down level by level.
TEST(JsonSyntax, RefusesDeepNesting) {
  EXPECT_EQ(parse_json(nested(64), "a.json").size(), 1U);
  EXPECT_EQ(refusal(nested(65)), "a.json:1:65: nested deeper than 64 levels");
  EXPECT_EQ(refusal("{\n\"a[\": " + nested(1'000'000) + "}"), "a.json:2:70: nested deeper than 64 levels");
}

// The parser takes a zero byte for the end of the text.
TEST(JsonSyntax, RefusesAZeroByteAndWhatIsBehindIt) {
  using std::string_view_literals::operator""sv;
  EXPECT_EQ(refusal("{}\n\0x"sv), "a.json:2:1: not JSON: a zero byte");
  EXPECT_EQ(refusal("[1]\0"sv), "a.json:1:4: not JSON: a zero byte");
  EXPECT_TRUE(parse_or_discard("{}\0/x"sv).is_discarded());
}

TEST(JsonSyntax, DiscardsWhatNoRunHasWritten) {
  EXPECT_EQ(parse_or_discard("{\"a\": 1}"), (Json{{"a", 1}}));
  EXPECT_TRUE(parse_or_discard("{\"a\": 1").is_discarded());
  EXPECT_TRUE(parse_or_discard("{\"a\": " + nested(1'000'000) + "}").is_discarded());
}

TEST(JsonSyntax, TakesWholeNumbersOnly) {
  EXPECT_EQ(whole_number(-3), -3);
  EXPECT_EQ(whole_number(std::uint64_t{7}), 7);
  EXPECT_EQ(whole_numbers(Json{1, 2}), (std::vector<std::int64_t>{1, 2}));
  const auto read = [](const Json& json) {
    return [json] { read_written(Json{{"a", json}}, "f", [](const Json& all) { return whole_numbers(all.at("a")); }); };
  };
  EXPECT_THAT(read({2.5}), ThrowsMessage<UserError>("'f' is damaged: found 2.5, allowed: a whole number"));
  EXPECT_THAT(read({1e300}), ThrowsMessage<UserError>(HasSubstr("found 1e+300")));
  EXPECT_THAT(read({std::uint64_t{1} << 63U}), ThrowsMessage<UserError>(HasSubstr("found 9223372036854775808")));
  EXPECT_THAT(read({true}), ThrowsMessage<UserError>(HasSubstr("found true")));
  EXPECT_THAT(read("x"), ThrowsMessage<UserError>("'f' is damaged: found \"x\", allowed: a list of whole numbers"));
}

TEST(JsonSyntax, WritesNamesOfFilesThatAreNoUtf8) {
  EXPECT_EQ(text_of(Json{{"file", "a\xFF"}}), "{\"file\":\"a\xEF\xBF\xBD\"}");
  EXPECT_EQ(text_of(Json{{"a", 1}}, 2), "{\n  \"a\": 1\n}");
}

TEST(JsonSyntax, ShowsShortValuesAndNamesLongOnes) {
  EXPECT_EQ(shown_value(Json("x")), "\"x\"");
  EXPECT_EQ(shown_value(Json{1, 2}), "[1,2]");
  EXPECT_EQ(shown_value(Json::object()), "{}");
  EXPECT_EQ(shown_value(Json{{"a", 1}}), R"({"a":1})");
  EXPECT_EQ(shown_value(Json{{"a", {1}}}), "an object");
  EXPECT_EQ(shown_value(Json(std::vector<int>(100, 1))), "a list");
  EXPECT_THAT(shown_value(Json(std::string(100, 'x'))), testing::EndsWith("x..."));
  EXPECT_EQ(shown_value(Json("\xFF")), "\"\xEF\xBF\xBD\"");
}

TEST(JsonSyntax, ShowsADeeplyNestedValueWithoutDescendingIntoIt) {
  Json deep = 1;
  for (int level = 0; level < 100'000; ++level) {
    deep = Json::array({std::move(deep)});
  }
  EXPECT_EQ(shown_value(deep), "a list");
}

}  // namespace
}  // namespace dflash
