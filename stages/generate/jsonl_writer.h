// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "framework/core/stage.h"
#include "stages/generate/json_row.h"

namespace dflash {

/// Writes rows to a JSONL file in the run directory. Every firing is a step of the run: with `run.checkpoint.every: 1`
/// each batch of rows has a checkpoint, and a run that was killed goes on behind the last of them. Rows that no
/// checkpoint knows of are made again; what stands in the file without any checkpoint is put aside as FILE.1 (.2, ...),
/// never lost. Every row that `fire` has returned from is with the operating system. What became of all rows, those
/// that were left out too, is said at the end of the run, after a resume of the whole run.
class JsonlWriter final : public Stage {
 public:
  static StageInfo info() {
    return {
        .type = "jsonl_writer", .summary = "writes rows to a JSONL file in the run directory", .drives_steps = true};
  }

  Input<JsonRows> rows{*this, "rows", "lines to write, in order"};
  Param<std::string> file{*this, "file", {.value = "rows.jsonl", .help = "name of the file inside the run directory"}};

  void check(StageCheck& check) const override;
  void open(const StageEnv& env) override;
  void fire(Firing& firing) override;
  void save(Snapshot& snapshot) const override;
  void load(const Snapshot& snapshot) override;

 private:
  /// Before the first row: the file ends where the bytes do that are known.
  void start_file(Firing& firing);
  void count(const JsonRows& taken);
  [[nodiscard]] std::int64_t left_out_rows() const;
  /// Writes what became of all rows into the run's log.
  void say_counts() const;

  std::string name_;
  RunLog* log_ = nullptr;
  std::filesystem::path path_;
  bool started_ = false;
  std::int64_t step_ = 0;
  std::int64_t rows_ = 0;
  std::map<std::string, JsonRows::LeftOut> left_out_;
  std::uint64_t bytes_ = 0;
};

}  // namespace dflash
