// SPDX-License-Identifier: Apache-2.0
#include "stages/prepare/jsonl_lines.h"

#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "framework/core/snapshot.h"
#include "tests/stages/data/source_checks.h"

namespace dflash {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(JsonlLines, GivesLinesInOrderWithTheirNumbers) {
  JsonlLines stage;
  stage.path.set(data_file("numbered.jsonl", "a\n\nb\nc\n"));
  stage.rows.set(2);
  StageRunner runner{stage};
  runner.run_until_end(10);
  const std::vector<TextLines> items = runner.outputs(stage.out);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_TRUE(runner.ended());
  EXPECT_EQ(items[0].lines[1].text, "b");
  EXPECT_EQ(items[0].lines[1].number, 3);
  EXPECT_EQ(items[1].first_row, 2);
  EXPECT_EQ(items[1].lines[0].number, 4);
}

TEST(JsonlLines, GoesOnWithTheSameLinesAfterLoad) {
  JsonlLines first;
  JsonlLines second;
  for (JsonlLines* stage : {&first, &second}) {
    stage->path.set(DFLASH_SOURCE_DIR "/configs/tiny/heldout.jsonl");
    stage->rows.set(50);
  }
  StageRunner runner{first};
  runner.run_until_end(2);
  (void)runner.outputs(first.out);
  StageRunner resumed{second};
  resumed.load(runner.save());
  runner.run_until_end(10);
  resumed.run_until_end(10);
  const std::vector<TextLines> expected = runner.outputs(first.out);
  const std::vector<TextLines> found = resumed.outputs(second.out);
  ASSERT_EQ(expected.size(), 4U);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].first_row, expected[i].first_row);
    EXPECT_EQ(found[i].lines.back().text, expected[i].lines.back().text);
    EXPECT_EQ(found[i].lines.back().number, expected[i].lines.back().number);
  }
}

TEST(JsonlLines, RefusesAFileThatIsNotThere) {
  JsonlLines stage;
  stage.path.set("missing.jsonl");
  EXPECT_THAT([&] { StageRunner runner{stage}; }, ThrowsMessage<UserError>(HasSubstr("missing.jsonl")));
}

}  // namespace
}  // namespace dflash
