// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dflash {

struct Checkpoint {
  std::filesystem::path folder;
  std::int64_t step = 0;
  std::optional<double> score;  // larger is better
};

/// Which checkpoints stay.
struct CheckpointPolicy {
  std::int64_t keep_last = 2;  // at least 1
  std::int64_t keep_best = 0;  // by score, beside the last
};

struct NewestValid {
  struct Skipped {
    std::filesystem::path folder;
    std::string reason;
  };
  std::optional<Checkpoint> checkpoint;
  std::vector<Skipped> skipped;  // newer ones that are damaged, newest first
};

/// The checkpoints of one run, one folder each: `step-000200/` with the files of the cut and a `manifest.json` that
/// holds the size and hash of each. A checkpoint has its name only once all of it is on the disk; what an interrupted
/// write left behind has another name and is removed by the next write. One writer at a time.
class CheckpointStore {
 public:
  using Fill = std::function<void(const std::filesystem::path& folder)>;

  /// `folder` need not exist before the first write.
  explicit CheckpointStore(std::filesystem::path folder, CheckpointPolicy policy = {});

  /// Lets `fill` write the files into a folder of temporary name, seals it, gives it its name, then removes what the
  /// policy does not keep. Replaces a checkpoint of the same step. Throws UserError where the disk refuses; what `fill`
  /// throws passes. In both cases the earlier checkpoints are untouched.
  Checkpoint write(std::int64_t step, std::optional<double> score, const Fill& fill);

  /// All checkpoints whose manifest can be read, by step. Their files are not looked at.
  [[nodiscard]] std::vector<Checkpoint> list() const;

  /// The newest checkpoint that passes `verify`.
  [[nodiscard]] NewestValid newest_valid() const;

  /// What is wrong with a checkpoint's folder ("'drafter.bin' has 10 bytes, 20 were written"), or nothing.
  [[nodiscard]] static std::optional<std::string> verify(const std::filesystem::path& folder);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  [[nodiscard]] std::vector<std::filesystem::path> step_folders() const;
  void remove_leftovers() const;
  void prune(std::int64_t newest_step) const;

  std::filesystem::path folder_;
  CheckpointPolicy policy_;
};

}  // namespace dflash
