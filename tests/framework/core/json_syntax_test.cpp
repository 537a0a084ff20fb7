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
