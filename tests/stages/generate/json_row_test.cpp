// SPDX-License-Identifier: Apache-2.0
#include "stages/generate/json_row.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "tests/stages/item_bytes.h"

namespace dflash {
namespace {

JsonRows any_rows() { return {.lines = *rc::gen::arbitrary<std::vector<std::string>>()}; }

RC_GTEST_PROP(JsonRowsBytes, ComeBackOfAnyLines, ()) {
  const JsonRows rows = any_rows();
  RC_ASSERT(comes_back(rows).lines == rows.lines);
}

RC_GTEST_PROP(JsonRowsBytes, AreReadOrRefusedWhateverChanges, ()) {
  is_read_or_refused<JsonRows>(ItemType<JsonRows>::serialize(any_rows()));
}

}  // namespace
}  // namespace dflash
