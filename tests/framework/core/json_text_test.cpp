// SPDX-License-Identifier: Apache-2.0
#include "framework/core/json_text.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "framework/core/error.h"
#include "framework/core/json_spot.h"
#include "tests/support/all_placed.h"
#include "tests/support/any_json.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

std::vector<std::string> mistakes_of(const std::string& text) {
  Diagnostics diagnostics;
  const auto parsed = parse_json_text(text, "a.json", diagnostics);
  EXPECT_TRUE(parsed.has_value() || !diagnostics.empty());
  return diagnostics.mistakes();
}

TEST(JsonText, KnowsWhereEachKeyAndValueStands) {
  Diagnostics diagnostics;
  const auto text = parse_json_text(
      "{ // note: \"x\": 1\n  \"a\": [1, -2.5e3,\n  \"\\\"]\" , true],\n \"ü\": /* , */ {\"b\":null}\n}", "a.json",
      diagnostics);
  ASSERT_TRUE(text.has_value());
  const JsonSpot root{*text};
  EXPECT_EQ(root.place(), "a.json:1:1");
  EXPECT_EQ(root.find("a")->key_place(), "a.json:2:3");
  EXPECT_EQ(root.find("a")->place(), "a.json:2:8");
  std::vector<std::string> places;
  for (const JsonSpot& item : root.find("a")->items()) {
    places.push_back(item.place());
  }
  EXPECT_THAT(places, ElementsAre("a.json:2:9", "a.json:2:12", "a.json:3:3", "a.json:3:11"));
  EXPECT_EQ(root.find("ü")->find("b")->key_place(), "a.json:4:16");
  EXPECT_EQ(root.find("ü")->find("b")->place(), "a.json:4:20");
  EXPECT_EQ(root.find("ü")->find("b")->pointer(), "/ü/b");
  EXPECT_EQ(text->value, Json::parse(R"({"a": [1, -2500.0, "\"]", true], "ü": {"b": null}})"));
}

TEST(JsonText, SkipsAByteOrderMark) {
  EXPECT_THAT(mistakes_of("\xEF\xBB\xBF{\"a\": 1,}"), ElementsAre(StartsWith("a.json:1:8: ")));
}

TEST(JsonText, NamesBothPlacesOfADuplicateKeyAndGoesOn) {
  EXPECT_THAT(mistakes_of("{\"a\": 1,\n \"b\": {\"c\": 1, \"c\": [{\"x\": 2}]},\n \"a\": {\"a\": 3}}"),
              ElementsAre("a.json:2:16: key 'c' appears twice; first at 2:8",
                          "a.json:3:2: key 'a' appears twice; first at 1:2"));
}

TEST(JsonText, KeepsTheFirstOfTwoEqualKeys) {
  Diagnostics diagnostics;
  const auto text = parse_json_text(R"({"a": 1, "a": {"b": [2]}, "c": 3})", "a.json", diagnostics);
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(text->value, (Json{{"a", 1}, {"c", 3}}));
  EXPECT_EQ(JsonSpot{*text}.find("c")->place(), "a.json:1:32");
}

TEST(JsonText, SaysThatACommaTrails) {
  EXPECT_THAT(mistakes_of("{\n  \"a\": [1, 2, // two\n  ]\n}"),
              ElementsAre("a.json:2:13: trailing comma before ']'; remove it"));
  EXPECT_THAT(mistakes_of("{\"a\": 1 , }"), ElementsAre("a.json:1:9: trailing comma before '}'; remove it"));
}

TEST(JsonText, SaysWhereASyntaxErrorIs) {
  EXPECT_THAT(mistakes_of("{\n \"a\": 1\n \"b\": 2}"),
              ElementsAre(AllOf(StartsWith("a.json:3:"), HasSubstr("expected '}'"))));
  EXPECT_THAT(mistakes_of(""), ElementsAre(AllOf(StartsWith("a.json:1:1: "), HasSubstr("unexpected end of input"))));
  EXPECT_THAT(mistakes_of("{\"a\": 1"), ElementsAre(HasSubstr("unexpected end of input")));
  EXPECT_THAT(mistakes_of("{} x"), ElementsAre(StartsWith("a.json:1:4: ")));
  EXPECT_THAT(mistakes_of("{\"a\": NaN}"), ElementsAre(HasSubstr("invalid literal")));
}

TEST(JsonText, RefusesBytesThatAreNoUtf8) {
  EXPECT_THAT(mistakes_of("{\"a\": \"\xC3\x28\"}"), ElementsAre(HasSubstr("ill-formed UTF-8")));
}

TEST(JsonText, RefusesAZeroByteAndWhatIsBehindIt) {
  EXPECT_THAT(mistakes_of(std::string("{}\0}", 4)), ElementsAre("a.json:1:3: not JSON: a zero byte"));
}

TEST(JsonText, RefusesANumberBeyondDouble) {
  EXPECT_THAT(mistakes_of("{\"a\": 1e999}"), ElementsAre(AllOf(StartsWith("a.json:1:"), HasSubstr("1e999"))));
}

TEST(JsonText, RefusesDeepNestingAtTheFirstLevelTooMany) {
  EXPECT_THAT(mistakes_of(std::string(10'000'000, '[')), ElementsAre("a.json:1:65: nested deeper than 64 levels"));
}

TEST(JsonText, RefusesMoreValuesThanAnyGraphNeeds) {
  std::string text = "[0";
  for (int i = 0; i < 250'000; ++i) {
    text += ",0";
  }
  EXPECT_THAT(mistakes_of(text + "]"), ElementsAre(HasSubstr("more than 250000 values")));
}

TEST(JsonText, RefusesMoreKeysThanAnyObjectNeeds) {
  std::string text = "{\"a\": 0";
  for (int i = 0; i < 10'000; ++i) {
    text += ",\"" + std::to_string(i) + "\":0";
  }
  EXPECT_THAT(mistakes_of(text + "}"), ElementsAre(HasSubstr("an object of more than 10000 keys")));
}

TEST(JsonText, StopsAfterManyDuplicates) {
  std::string text = "{\"a\": 0";
  for (int i = 0; i < 100'000; ++i) {
    text += ",\"a\":0";
  }
  EXPECT_THAT(mistakes_of(text + "}"), testing::SizeIs(Diagnostics::kMost));
}

// What was written comes back, and each value inside has a place of its own.
RC_GTEST_PROP(JsonText, ReadsWhateverIsWritten, ()) {
  const Json value = *any_json<Json>(2);
  Diagnostics diagnostics;
  const auto text = parse_json_text(value.dump(*rc::gen::element(-1, 2)), "a.json", diagnostics);
  RC_ASSERT(text.has_value());
  RC_ASSERT(text->value.dump() == value.dump());
  RC_ASSERT(all_placed(text->value, text->places));
}

// A text that something was put into anywhere: ours takes what the plain parser takes.
RC_GTEST_PROP(JsonText, ReadsOrRefusesAnyText, ()) {
  std::string text = (*any_json<Json>(1)).dump(*rc::gen::element(-1, 2));
  const auto piece = *rc::gen::element<std::string>("{", "}", "[", "]", ",", ":", "\"", "\\", "0", "-", "//", "/* */",
                                                    "/*", "\n", "\xC3", "\xEF\xBB\xBF");
  text.insert(*rc::gen::inRange<std::size_t>(0, text.size() + 1), piece);
  Diagnostics diagnostics;
  const bool reads = parse_json_text(text, "a.json", diagnostics).has_value();
  RC_ASSERT(reads == Json::accept(text, true));
  RC_ASSERT(reads || !diagnostics.empty());
}

TEST(JsonFile, NamesTheNearestFileWhereThereIsNone) {
  const TemporaryFolder folder;
  std::ofstream{folder.path() / "train.json"} << "{}";
  Diagnostics diagnostics;
  EXPECT_THAT([&] { (void)read_json_file(folder.path() / "trian.json", "graph file", diagnostics); },
              ThrowsMessage<UserError>(AllOf(StartsWith("no such graph file '"),
                                             HasSubstr("trian.json'; did you mean '"), HasSubstr("/train.json'?"))));
}

TEST(JsonFile, RefusesAFolder) {
  const TemporaryFolder folder;
  Diagnostics diagnostics;
  EXPECT_THAT([&] { (void)read_json_file(folder.path(), "graph file", diagnostics); },
              ThrowsMessage<UserError>(HasSubstr("is a folder, allowed: a graph file")));
}

TEST(JsonFile, RefusesWhatIsTooLarge) {
  Diagnostics diagnostics;
  EXPECT_THAT([&] { (void)read_json_file("/dev/zero", "graph file", diagnostics); },
              ThrowsMessage<UserError>(HasSubstr("at most 16777216 bytes")));
}

}  // namespace
}  // namespace dflash
