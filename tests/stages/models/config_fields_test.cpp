// SPDX-License-Identifier: Apache-2.0
#include "stages/models/config_fields.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(ConfigFields, ReadsWhatIsThere) {
  const Json json = Json::parse(R"({"a": 3, "b": 1e-6, "c": true, "d": "x", "e": null})");
  ConfigFields fields(json, "file");
  EXPECT_EQ(fields.integer("a", 1), 3);
  EXPECT_EQ(fields.positive_number("b"), 1e-6);
  EXPECT_TRUE(fields.boolean("c", false));
  EXPECT_EQ(fields.text("d"), "x");
  EXPECT_EQ(fields.optional_integer("e", 0), std::nullopt);
  EXPECT_EQ(fields.find("e"), nullptr);
  EXPECT_NO_THROW(fields.finish());
}

TEST(ConfigFields, TellsAllFaultsAtOnce) {
  const Json json = Json::parse(R"({"a": 0, "b": -1, "c": 1, "d": [2], "f": 2.5, "g": 18446744073709551615})");
  ConfigFields fields(json, "file");
  fields.integer("a", 1);
  fields.positive_number("b");
  fields.boolean("c", false);
  fields.text("d");
  fields.integer("e", 1);
  fields.integer("f", 1);
  fields.integer("g", 1);
  EXPECT_THAT(
      [&] { fields.finish(); },
      ThrowsMessage<UserError>(AllOf(
          HasSubstr("file: a is 0, allowed: a whole number from 1"), HasSubstr("b is -1, allowed: a number above 0"),
          HasSubstr("c is 1, allowed: true or false"), HasSubstr("d is [2], allowed: a string"),
          HasSubstr("e is missing"), HasSubstr("f is 2.5"), HasSubstr("g is 18446744073709551615"))));
}

TEST(ConfigFields, TakesOverTheFaultsOfAnObjectInside) {
  const Json json = Json::parse(R"({"inner": {"a": "x"}})");
  ConfigFields fields(json, "file");
  ConfigFields inner(json.at("inner"), "inner");
  EXPECT_EQ(inner.optional_positive_number("b"), std::nullopt);
  EXPECT_EQ(inner.optional_positive_number("a"), std::nullopt);
  fields.add_faults_of(inner);
  EXPECT_THAT([&] { fields.finish(); },
              ThrowsMessage<UserError>(HasSubstr("file: inner: a is \"x\", allowed: a number above 0")));
}

TEST(ConfigFields, RefusesWhatIsNotAnObject) {
  const Json json = Json::array();
  EXPECT_THAT([&] { ConfigFields(json, "file"); }, ThrowsMessage<UserError>(HasSubstr("expected an object")));
}

}  // namespace
}  // namespace dflash
