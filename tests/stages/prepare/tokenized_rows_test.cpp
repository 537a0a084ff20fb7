// SPDX-License-Identifier: Apache-2.0
#include "stages/prepare/tokenized_rows.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "tests/stages/any_documents.h"

namespace dflash {
namespace {

TokenizedRows any_rows() {
  TokenizedRows rows;
  rows.file = any_text();
  rows.rows = *rc::gen::arbitrary<std::int64_t>();
  for (std::int64_t left = up_to(3); left > 0; --left) {
    rows.documents.push_back(any_document());
  }
  rows.rejected = *rc::gen::arbitrary<std::vector<std::pair<std::string, std::string>>>();
  rows.without_anchor = *rc::gen::arbitrary<std::int64_t>();
  rows.settings = *rc::gen::arbitrary<std::map<std::string, std::string>>();
  return rows;
}

RC_GTEST_PROP(TokenizedRowsBytes, ComeBackOfAnyRows, ()) {
  const TokenizedRows rows = any_rows();
  const TokenizedRows read = comes_back(rows);
  RC_ASSERT(read.file == rows.file);
  RC_ASSERT(read.rows == rows.rows);
  RC_ASSERT(read.documents.size() == rows.documents.size());
  RC_ASSERT(read.rejected == rows.rejected);
  RC_ASSERT(read.without_anchor == rows.without_anchor);
  RC_ASSERT(read.settings == rows.settings);
}

RC_GTEST_PROP(TokenizedRowsBytes, AreReadOrRefusedWhateverChanges, ()) {
  is_read_or_refused<TokenizedRows>(ItemType<TokenizedRows>::serialize(any_rows()));
}

}  // namespace
}  // namespace dflash
