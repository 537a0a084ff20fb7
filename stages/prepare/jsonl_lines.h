// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "framework/core/stage.h"
#include "stages/data/line_reader.h"
#include "stages/prepare/text_lines.h"

namespace dflash {

/// The lines of a file, read once from its begin to its end, many to an item; blank lines are left out. Holds no more
/// than one item, however long the file.
class JsonlLines final : public Source<TextLines> {
 public:
  static StageInfo info() {
    return {.type = "jsonl_lines", .summary = "lines of a JSONL file, once, in order and unread"};
  }

  Param<std::string> path{*this, "path", {.required = true, .help = "JSONL file, plain or .xz"}};
  Param<std::int64_t> rows{*this, "rows", {.value = 256, .min = 1, .unit = "rows", .help = "lines of an item"}};

  JsonlLines() : Source{"lines", "lines as they stand in the file"} {}

  void check(StageCheck& check) const override;
  void open(const StageEnv& env) override;
  [[nodiscard]] std::optional<TextLines> next(Firing& firing) override;
  void close() noexcept override { reader_.reset(); }
  void save(Snapshot& snapshot) const override;
  void load(const Snapshot& snapshot) override;

 private:
  std::unique_ptr<LineReader> reader_;
  std::int64_t row_ = 0;
};

}  // namespace dflash
