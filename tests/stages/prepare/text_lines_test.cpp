// SPDX-License-Identifier: Apache-2.0
#include "stages/prepare/text_lines.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "tests/stages/item_bytes.h"

namespace dflash {
namespace {

TextLines any_lines() {
  TextLines lines;
  lines.file = any_text();
  lines.first_row = *rc::gen::arbitrary<std::int64_t>();
  for (std::int64_t left = up_to(4); left > 0; --left) {
    lines.lines.push_back({.number = *rc::gen::arbitrary<std::int64_t>(), .text = any_text()});
  }
  return lines;
}

RC_GTEST_PROP(TextLinesBytes, ComeBackOfAnyLines, ()) {
  const TextLines lines = any_lines();
  const TextLines read = comes_back(lines);
  RC_ASSERT(read.file == lines.file);
  RC_ASSERT(read.first_row == lines.first_row);
  RC_ASSERT(read.lines.size() == lines.lines.size());
  for (std::size_t i = 0; i < read.lines.size(); ++i) {
    RC_ASSERT(read.lines[i].number == lines.lines[i].number);
    RC_ASSERT(read.lines[i].text == lines.lines[i].text);
  }
}

RC_GTEST_PROP(TextLinesBytes, AreReadOrRefusedWhateverChanges, ()) {
  is_read_or_refused<TextLines>(ItemType<TextLines>::serialize(any_lines()));
}

}  // namespace
}  // namespace dflash
