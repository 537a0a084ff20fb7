// SPDX-License-Identifier: Apache-2.0
#include "stages/generate/jsonl_writer.h"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "framework/core/stage_runner.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(JsonlWriter, WritesLinesInOrder) {
  const TemporaryFolder folder;
  JsonlWriter writer;
  writer.file.set("out.jsonl");
  StageRunner runner{writer, StageEnv{.run_dir = folder.path()}};
  runner.feed(writer.rows, JsonRows{{"{\"a\":1}", "{\"a\":2}"}});
  runner.feed(writer.rows, JsonRows{{"{\"a\":3}"}});
  runner.run_until_end(2);
  std::stringstream text;
  text << std::ifstream{folder.path() / "out.jsonl"}.rdbuf();
  EXPECT_EQ(text.str(), "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n");
  EXPECT_EQ(runner.counters().at("rows"), 3);
}

TEST(JsonlWriter, KeepsTheRowsOfAnEarlierRun) {
  const TemporaryFolder folder;
  std::ofstream{folder.path() / "rows.jsonl"} << "{\"a\":1}\n";
  JsonlWriter writer;
  StageRunner runner{writer, StageEnv{.run_dir = folder.path()}};
  runner.feed(writer.rows, JsonRows{{"{\"a\":2}"}});
  EXPECT_THAT([&] { runner.fire(); }, ThrowsMessage<UserError>(HasSubstr("rows.jsonl: File exists")));
  EXPECT_EQ(std::filesystem::file_size(folder.path() / "rows.jsonl"), 8U);
}

TEST(JsonlWriter, RefusesAFileOutsideTheRunDirectory) {
  for (const char* name : {"../out.jsonl", "/tmp/out.jsonl", "a/b", ""}) {
    JsonlWriter writer;
    writer.file.set(name);
    EXPECT_THAT([&] { StageRunner runner{writer}; },
                ThrowsMessage<UserError>(HasSubstr("a file name without a folder")))
        << name;
  }
}

}  // namespace
}  // namespace dflash
