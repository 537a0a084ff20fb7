// SPDX-License-Identifier: Apache-2.0
#include "framework/report/text_table.h"

#include <gmock/gmock.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

TEST(TextTable, AlignsColumnsAndLeavesNoTrailingBlanks) {
  TextTable table{{{"name", TextTable::kLeft}, {"count"}, {"note", TextTable::kLeft}}};
  table.row({"a", "1000", ""});
  table.row({"longer", "1", "x"});
  EXPECT_EQ(table.text(1),
            " name    count  note\n"
            " a        1000\n"
            " longer      1  x\n");
}

TEST(TextTable, IsEmptyWithoutRows) { EXPECT_EQ(TextTable({{"name"}}).text(2), ""); }

TEST(TextTable, RefusesARowOfTheWrongLength) {
  TextTable table{{{"a"}, {"b"}}};
  table.row({"only one"});
  EXPECT_THROW((void)table.text(0), InternalError);
}

TEST(Shortened, CutsInTheMiddle) {
  EXPECT_EQ(shortened("short", 10), "short");
  EXPECT_EQ(shortened("data.documents->batch.documents", 11), "data.~ments");
}

TEST(Wrapped, BreaksAtBlanksUnderTheLead) {
  EXPECT_EQ(wrapped("LEAD  ", "one two three", 13),
            "LEAD  one two\n"
            "      three\n");
}

TEST(Wrapped, LeavesALongWordWhole) {
  EXPECT_EQ(wrapped("", "a verylongword b", 6),
            "a\n"
            "verylongword\n"
            "b\n");
}

}  // namespace
}  // namespace dflash
