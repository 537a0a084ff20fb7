// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/provenance.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace dflash {
namespace {

TEST(Hardware, NamesTheProcessorAndItsCores) {
  const Json hardware = hardware_json();
  EXPECT_THAT(hardware["cpu"].get<std::string>(), ::testing::Not(::testing::IsEmpty()));
  EXPECT_GE(hardware["cores"], 1);
}

TEST(Plugins, StandInProvenanceByTheirFiles) {
  EXPECT_EQ(plugins_json({}), Json::object());
  EXPECT_EQ(plugins_json({{.file = "a.so", .version = "1.5", .hash = "12", .types = {"x", "y"}}}),
            Json::parse(R"({"a.so": {"version": "1.5", "hash": "12", "types": ["x", "y"]}})"));
}

}  // namespace
}  // namespace dflash
