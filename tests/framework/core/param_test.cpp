// SPDX-License-Identifier: Apache-2.0
#include "framework/core/param.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

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
  Choice<Colour> colour{*this, "colour", Colour::kRed, {{"red", Colour::kRed}, {"green", Colour::kGreen}}, ""};
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
}

TEST(Param, TakesAListOfStrings) {
  struct Words : ParamSet {
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

TEST(ParamSet, FindsParametersByName) {
  Example example;
  EXPECT_EQ(example.find_param("rate"), &example.rate);
  EXPECT_EQ(example.find_param("rates"), nullptr);
  EXPECT_THAT(example.params(), testing::SizeIs(6));
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
