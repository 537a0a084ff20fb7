// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "framework/core/stage.h"
#include "framework/recording/recording_writer.h"

namespace dflash {

/// Writes what a port gives to a file in the run directory, item by item, for a replay. It is one more consumer of that
/// port: it changes nothing that others see, it has a row of its own in the report, and where the disk is slower than
/// the producer, that waits for room as it would for any other.
class ItemRecorder final : public Stage {
 public:
  static StageInfo info() {
    return {.type = "recorder", .summary = "writes items to a file of the run", .outlives_steps = true};
  }

  /// `most_items`: ends the recording, not the run, after as many; 0: records all.
  ItemRecorder(RecordedPort port, const ItemTypeInfo& type, std::int64_t most_items);

  UntypedInput items;

  void open(const StageEnv& env) override;
  void fire(Firing& firing) override;
  /// The end of the recording, where its limit was not reached.
  void drain(Firing& firing) override;

  /// Where a port's recording lies in a run directory.
  static std::filesystem::path file_in(const std::filesystem::path& run_dir, const std::string& port);

 private:
  RecordingWriter& writer();
  void end(RecordingEnd reason);
  void tell();

  RecordedPort port_;
  std::int64_t most_items_;
  std::filesystem::path file_;
  RunLog* log_ = nullptr;
  std::optional<RecordingWriter> writer_;
  bool ended_ = false;
};

}  // namespace dflash
