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

}  // namespace
}  // namespace dflash
