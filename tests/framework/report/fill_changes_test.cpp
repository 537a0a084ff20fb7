// SPDX-License-Identifier: Apache-2.0
#include "framework/report/fill_changes.h"

#include <gmock/gmock.h>

namespace dflash {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

auto change(std::int64_t at, std::int64_t by) { return AllOf(Field(&FillChange::at, at), Field(&FillChange::by, by)); }

TEST(FillChanges, StandInTheOrderOfTimeAndWhatGoesFirst) {
  EXPECT_THAT(fill_changes({{.pushed = 1, .popped = 5}, {.pushed = 5, .popped = 9}, {.pushed = 2, .popped = 3}}),
              ElementsAre(change(1, 1), change(2, 1), change(3, -1), change(5, -1), change(5, 1), change(9, -1)));
  EXPECT_THAT(fill_changes({}), IsEmpty());
}

}  // namespace
}  // namespace dflash
