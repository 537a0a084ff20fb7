// SPDX-License-Identifier: Apache-2.0
#include "stages/data/python_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"

namespace dflash {
namespace {

std::string written(const std::string& text) { return python_json(Json::parse(text)); }

TEST(PythonJson, SeparatesWithSpacesAndKeepsTheOrderOfKeys) {
  EXPECT_EQ(written(R"({"b":1,"a":[true,null,{}],"c":[]})"), R"({"b": 1, "a": [true, null, {}], "c": []})");
}

TEST(PythonJson, EscapesAsPythonDoes) {
  EXPECT_EQ(written(R"(["\u00e9\u2028","\u0001\n\"\\\/"])"), "[\"é\u2028\", \"\\u0001\\n\\\"\\\\/\"]");
}

TEST(PythonJson, WritesNumbersAsPythonDoesOrRefusesThem) {
  EXPECT_EQ(written("[1.0,2.5,-0.0,1e-7,0.1,123456789012345680,1e14]"),
            "[1.0, 2.5, -0.0, 1e-07, 0.1, 123456789012345680, 100000000000000.0]");
  EXPECT_THAT([] { written("[1e15]"); }, testing::ThrowsMessage<UserError>(testing::HasSubstr("in a tool call")));
  EXPECT_THROW(written("123456789012345678901234567890"), UserError);
}

}  // namespace
}  // namespace dflash
