// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "framework/core/stage.h"
#include "stages/generate/json_row.h"

namespace dflash {

/// Writes rows to a new JSONL file in the run directory; one that is there already is refused, never replaced. Every
/// row that `fire` has returned from is with the operating system.
class JsonlWriter final : public Stage {
 public:
  static StageInfo info() {
    return {.type = "jsonl_writer", .summary = "writes rows to a JSONL file in the run directory"};
  }

  Input<JsonRows> rows{*this, "rows", "lines to write, in order"};
  Param<std::string> file{*this, "file", {.value = "rows.jsonl", .help = "name of the file inside the run directory"}};

  void check(StageCheck& check) const override;
  void open(const StageEnv& env) override;
  void fire(Firing& firing) override;
  void close() noexcept override { stream_.reset(); }

 private:
  struct FileCloser {
    void operator()(std::FILE* stream) const { std::fclose(stream); }
  };
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, FileCloser> stream_;
};

}  // namespace dflash
