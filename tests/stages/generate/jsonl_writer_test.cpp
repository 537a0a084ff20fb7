// SPDX-License-Identifier: Apache-2.0
#include "stages/generate/jsonl_writer.h"

#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "framework/core/snapshot.h"
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
  EXPECT_EQ(read_text(folder.path() / "out.jsonl"), "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n");
  EXPECT_EQ(runner.counters().at("rows"), 3);
}

TEST(JsonlWriter, PutsAsideWhatNoCheckpointKnowsOf) {
  const TemporaryFolder folder;
  std::ofstream{folder.path() / "rows.jsonl"} << "{\"a\":1}\n";
  std::ofstream{folder.path() / "rows.jsonl.1"} << "older\n";
  JsonlWriter writer;
  StageRunner runner{writer, StageEnv{.run_dir = folder.path()}};
  runner.feed(writer.rows, JsonRows{{"{\"a\":2}"}});
  runner.fire();
  EXPECT_EQ(read_text(folder.path() / "rows.jsonl"), "{\"a\":2}\n");
  EXPECT_EQ(read_text(folder.path() / "rows.jsonl.2"), "{\"a\":1}\n");
  EXPECT_EQ(read_text(folder.path() / "rows.jsonl.1"), "older\n");
}

/// Writes one row, and returns what a checkpoint would keep then.
Snapshot write_one(const std::filesystem::path& folder) {
  JsonlWriter writer;
  StageRunner runner{writer, StageEnv{.run_dir = folder}};
  runner.feed(writer.rows, JsonRows{{"1"}});
  runner.fire();
  EXPECT_EQ(runner.completed_steps(), std::vector<std::int64_t>{1});
  return runner.save(folder);
}

TEST(JsonlWriter, GoesOnBehindTheRowsOfItsCheckpoint) {
  const TemporaryFolder folder;
  const Snapshot saved = write_one(folder.path());
  std::ofstream{folder.path() / "rows.jsonl", std::ios::app} << "2\n3, torn";
  JsonlWriter writer;
  StageRunner runner{writer, StageEnv{.run_dir = folder.path()}};
  runner.load(saved);
  runner.feed(writer.rows, JsonRows{{"two"}});
  runner.fire();
  EXPECT_EQ(read_text(folder.path() / "rows.jsonl"), "1\ntwo\n");
  EXPECT_EQ(runner.completed_steps(), std::vector<std::int64_t>{2});
  EXPECT_EQ(runner.log().work().first, 1);
  EXPECT_EQ(runner.log().work().done, 2);
}

/// One line of three rows.
JsonRows one_of_three() {
  return {.lines = {"1"}, .left_out = {{"cut", {.rows = 2, .words = "with an answer that was cut"}}}};
}

TEST(JsonlWriter, CountsTheRowsThatWereLeftOutAsDoneAndNotesThem) {
  const TemporaryFolder folder;
  JsonlWriter writer;
  StageRunner runner{writer, StageEnv{.run_dir = folder.path()}};
  runner.feed(writer.rows, one_of_three());
  runner.fire();
  EXPECT_EQ(runner.log().work().done, 3);
  EXPECT_EQ(runner.log().summaries().at("rows"), (Json{{"rows.jsonl", 1}, {"left_out", {{"cut", 2}}}}));
  EXPECT_EQ(
      runner.log().summaries().at("notes").at("stage"),
      (folder.path() / "rows.jsonl").string() + ": 1 row\n2 of 3 rows left out:\n    2 with an answer that was cut");
}

TEST(JsonlWriter, CountsThemOnAfterAResume) {
  const TemporaryFolder folder;
  Snapshot saved;
  {
    JsonlWriter writer;
    StageRunner runner{writer, StageEnv{.run_dir = folder.path()}};
    runner.feed(writer.rows, one_of_three());
    runner.fire();
    saved = runner.save(folder.path());
  }
  JsonlWriter writer;
  StageRunner runner{writer, StageEnv{.run_dir = folder.path()}};
  runner.load(saved);
  EXPECT_EQ(runner.log().work().first, 3);
  runner.feed(writer.rows, one_of_three());
  runner.fire();
  EXPECT_EQ(runner.log().work().done, 6);
  EXPECT_THAT(runner.log().summaries().at("notes").at("stage").get<std::string>(), HasSubstr("4 of 6 rows left out"));
}

TEST(JsonlWriter, RefusesToGoOnWhereRowsAreMissing) {
  const TemporaryFolder folder;
  const Snapshot saved = write_one(folder.path());
  std::filesystem::resize_file(folder.path() / "rows.jsonl", 1);
  JsonlWriter writer;
  StageRunner runner{writer, StageEnv{.run_dir = folder.path()}};
  runner.load(saved);
  runner.feed(writer.rows, JsonRows{{"2"}});
  EXPECT_THAT([&] { runner.fire(); }, ThrowsMessage<UserError>(HasSubstr("has 1 bytes, fewer than the 2")));
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
