// SPDX-License-Identifier: Apache-2.0
#include "framework/core/json_differences.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> texts(const char* before, const char* now) {
  std::vector<std::string> all;
  for (const JsonDifference& found : json_differences(Json::parse(before), Json::parse(now))) {
    all.push_back(found.key + ": " + found.before.dump() + " " + found.now.dump());
  }
  return all;
}

TEST(JsonDifferences, NamesEachPlaceWithBothValues) {
  EXPECT_THAT(texts(R"({"a": 1, "c": {"d": [1], "e": 2}})", R"({"a": 2, "c": {"d": [1, 2], "e": 2}})"),
              ElementsAre("a: 1 2", "c.d: [1] [1,2]"));
  EXPECT_THAT(texts(R"({"c": {"d": 1}})", R"({"c": 3})"), ElementsAre(R"(c: {"d":1} 3)"));
  EXPECT_THAT(texts("[1]", "[2]"), ElementsAre(": [1] [2]"));
}

TEST(JsonDifferences, AMissingKeyIsOneEvenBesideNull) {
  EXPECT_THAT(texts(R"({"b": null})", R"({"a": 1})"), ElementsAre("a: null 1", "b: null null"));
}

TEST(JsonDifferences, OfEqualValuesAreNone) {
  EXPECT_THAT(texts(R"({"a": {"b": [1, {}]}})", R"({"a": {"b": [1, {}]}})"), IsEmpty());
}

}  // namespace
}  // namespace dflash
