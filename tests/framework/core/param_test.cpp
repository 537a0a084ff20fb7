// SPDX-License-Identifier: Apache-2.0
#include "framework/core/param.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include "tests/support/any_json.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Optional;

enum class Colour { kRed, kGreen };

struct Example : ParamSet {
  Param<std::int64_t> count{*this, "count", {.value = 4, .min = 1, .max = 64, .unit = "items", .help = "how many"}};
  Param<double> rate{*this, "rate", {.value = 0.5, .min = 0.0}};
  Param<bool> pad{*this, "pad", {}};
  Param<std::optional<std::int64_t>> limit{*this, "limit", {.min = 1}};
  Param<std::vector<std::int64_t>> sizes{*this, "sizes", {.value = {1, 2}}};
  Choice<Colour> colour{
      *this, "colour", Colour::kRed, {{"red", Colour::kRed}, {"green", Colour::kGreen}}, "", /*planned=*/{"blue"}};
};

struct Words : ParamSet {
  Param<std::string> path{*this, "path", {.required = true}};
  Param<std::optional<std::string>> layers{*this, "layers", {.words = "full | sliding"}};
  Param<std::vector<std::string>> at{*this, "at", {.value = {"end"}, .words = "start | end"}};
};

TEST(Param, KeepsItsDefaultUntilItIsAssigned) {
  Example example;
  EXPECT_EQ(example.count(), 4);
  EXPECT_FALSE(example.count.is_set());
  EXPECT_EQ(example.count.assign(Json(8)), std::nullopt);
  EXPECT_EQ(example.count(), 8);
  EXPECT_EQ(example.count.default_json(), 4);
}

TEST(Param, RefusesWhatWouldHaveToBeCoercedIntoAnInteger) {
  Example example;
  for (const Json& value : {Json(2.5), Json(2.0), Json(1e30), Json("8"), Json(true), Json(nullptr),
                            Json(std::uint64_t{18446744073709551615ULL})}) {
    EXPECT_THAT(example.count.assign(value),
                Optional(AllOf(HasSubstr("found " + value.dump()), HasSubstr("from 1 to 64"))));
  }
  EXPECT_EQ(example.count(), 4);
}

TEST(Param, RefusesWhatIsOutOfRange) {
  Example example;
  EXPECT_THAT(example.count.assign(Json(0)), Optional(HasSubstr("found 0, allowed: integer from 1 to 64")));
  EXPECT_THAT(example.rate.assign(Json(-0.5)), Optional(HasSubstr("at least 0")));
}

TEST(Param, TakesAnIntegerAsANumber) {
  Example example;
  EXPECT_EQ(example.rate.assign(Json(2)), std::nullopt);
  EXPECT_EQ(example.rate(), 2.0);
}

TEST(Param, TakesNullWhereItIsOptionalOnly) {
  Example example;
  EXPECT_EQ(example.limit.assign(Json(3)), std::nullopt);
  EXPECT_EQ(example.limit.assign(Json(nullptr)), std::nullopt);
  EXPECT_EQ(example.limit(), std::nullopt);
  EXPECT_THAT(example.limit.assign(Json(0)), Optional(HasSubstr("at least 1, or null")));
}

TEST(Param, RefusesAListWithAnythingButIntegers) {
  Example example;
  EXPECT_THAT(example.sizes.assign(Json{1, 2.5}), Optional(HasSubstr("list of integers")));
  EXPECT_EQ(example.sizes.assign(Json{7}), std::nullopt);
  EXPECT_THAT(example.sizes(), testing::ElementsAre(7));
  EXPECT_EQ(example.sizes.assign(Json(7)), "found 7, allowed: list of integers; did you mean [7]?");
}

TEST(Param, RefusesTheEmptyTextWhereOneIsRequired) {
  Words words;
  EXPECT_TRUE(words.path.is_required());
  EXPECT_FALSE(words.at.is_required());
  EXPECT_THAT(words.path.assign(Json("")), Optional(HasSubstr("found \"\", allowed: string, not empty")));
  EXPECT_EQ(words.path.assign(Json("a")), std::nullopt);
}

TEST(Param, TakesOnlyItsWords) {
  Words words;
  EXPECT_EQ(words.layers.type_text(), "one of full | sliding, or null");
  EXPECT_EQ(words.at.type_text(), "list of start | end");
  EXPECT_EQ(words.layers.assign(Json("sliding")), std::nullopt);
  EXPECT_EQ(words.layers.assign(Json(nullptr)), std::nullopt);
  EXPECT_EQ(words.layers.assign(Json("slidng")),
            "found \"slidng\", allowed: one of full | sliding, or null; did you mean 'sliding'?");
  EXPECT_EQ(words.at.assign(Json{"start", "end"}), std::nullopt);
  EXPECT_EQ(words.at.assign(Json{"end", "strat"}),
            "found [\"end\",\"strat\"], allowed: list of start | end; did you mean 'start'?");
}

TEST(Param, ListsItsWordsInTheSchema) {
  const Words words;
  EXPECT_EQ(words.layers.schema().at("enum"), (Json{"full", "sliding", nullptr}));
  EXPECT_EQ(words.at.schema().at("items").at("enum"), (Json{"start", "end"}));
  EXPECT_FALSE(words.path.schema().contains("default"));
}

TEST(Param, TakesAListOfStrings) {
  struct Lists : ParamSet {
    Param<std::vector<std::string>> words{*this, "words", {.value = {"a"}}};
  } example;
  EXPECT_EQ(example.words.assign(Json{"start", "end"}), std::nullopt);
  EXPECT_THAT(example.words(), testing::ElementsAre("start", "end"));
  EXPECT_THAT(example.words.assign(Json{1}), Optional(HasSubstr("list of strings")));
}

TEST(Choice, NamesTheNearestWord) {
  Example example;
  EXPECT_THAT(example.colour.assign(Json("gren")),
              Optional(AllOf(HasSubstr("red | green"), HasSubstr("did you mean 'green'?"))));
  EXPECT_EQ(example.colour.assign(Json("green")), std::nullopt);
  EXPECT_EQ(example.colour(), Colour::kGreen);
}

TEST(Choice, SaysOfAPlannedWordThatThisVersionLacksIt) {
  Example example;
  EXPECT_EQ(example.colour.type_text(), "one of red | green (not in this version: blue)");
  EXPECT_EQ(example.colour.assign(Json("blue")), "found \"blue\", which this version cannot do; allowed: red | green");
  EXPECT_FALSE(example.colour.schema().dump().find("blue") != std::string::npos);
}

TEST(ParamSet, FindsParametersByName) {
  Example example;
  EXPECT_EQ(example.find_param("rate"), &example.rate);
  EXPECT_EQ(example.find_param("rates"), nullptr);
  EXPECT_THAT(example.params(), testing::SizeIs(6));
}

// A parameter takes a value as it is, or says why not and keeps its own.
RC_GTEST_PROP(Param, TakesAnyValueUnchangedOrNotAtAll, ()) {
  Example example;
  const Json value = *any_json<Json>(1);
  for (ParamBase* param : example.params()) {
    const Json before = param->value_json();
    const std::optional<std::string> wrong = param->assign(value);
    RC_ASSERT(param->value_json() == (wrong ? before : value));
    if (wrong) {
      RC_ASSERT(wrong->starts_with("found "));
    }
  }
}

TEST(Param, DescribesItselfInTheSchema) {
  Example example;
  const Json schema = example.count.schema();
  EXPECT_EQ(schema.at("type"), "integer");
  EXPECT_EQ(schema.at("minimum"), 1);
  EXPECT_EQ(schema.at("maximum"), 64);
  EXPECT_EQ(schema.at("default"), 4);
}

}  // namespace
}  // namespace dflash
