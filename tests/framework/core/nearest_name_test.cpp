// SPDX-License-Identifier: Apache-2.0
#include "framework/core/nearest_name.h"

#include <gtest/gtest.h>

namespace dflash {
namespace {

TEST(NearestName, FindsASlip) { EXPECT_EQ(nearest_name("capcity", {"capacity", "items"}), "capacity"); }
TEST(NearestName, IsEmptyWhenNothingIsNear) { EXPECT_EQ(nearest_name("loss", {"capacity", "items"}), ""); }
TEST(Suggestion, ListsAllWhenNothingIsNear) {
  EXPECT_EQ(suggestion("loss", {"capacity", "items"}), "; known: capacity, items");
}

TEST(NearestName, CountsTwoLettersInTheWrongOrderAsOneSlip) {
  EXPECT_EQ(nearest_name("spilt", {"concat", "split"}), "split");
  EXPECT_EQ(nearest_name("mdoe", {"loss", "mode"}), "mode");
}

TEST(NearestName, PassesOverNamesOfMegabytes) {
  EXPECT_EQ(nearest_name(std::string(80, 'a'), {std::string(20'000'000, 'a'), std::string(79, 'a')}),
            std::string(79, 'a'));
}

}  // namespace
}  // namespace dflash
