// SPDX-License-Identifier: Apache-2.0
#include "stages/generate/json_row.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "tests/stages/item_bytes.h"

namespace dflash {
namespace {

JsonRows any_rows() {
  JsonRows rows{.lines = *rc::gen::arbitrary<std::vector<std::string>>()};
  for (std::int64_t left = up_to(3); left > 0; --left) {
    rows.left_out[any_text()] = {.rows = *rc::gen::arbitrary<std::int64_t>(), .words = any_text()};
  }
  return rows;
}

RC_GTEST_PROP(JsonRowsBytes, ComeBackOfAnyLines, ()) {
  const JsonRows rows = any_rows();
  const JsonRows read = comes_back(rows);
  RC_ASSERT(read.lines == rows.lines);
  RC_ASSERT(read.left_out.size() == rows.left_out.size());
  for (const auto& [reason, left_out] : rows.left_out) {
    RC_ASSERT(read.left_out.at(reason).rows == left_out.rows);
    RC_ASSERT(read.left_out.at(reason).words == left_out.words);
  }
}

RC_GTEST_PROP(JsonRowsBytes, AreReadOrRefusedWhateverChanges, ()) {
  is_read_or_refused<JsonRows>(ItemType<JsonRows>::serialize(any_rows()));
}

}  // namespace
}  // namespace dflash
