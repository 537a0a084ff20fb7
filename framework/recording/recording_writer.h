// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "framework/recording/record_head.h"

namespace dflash {

/// What the items of a recording are.
struct RecordedPort {
  std::string port;  // "target.taps"
  std::string type;  // of its items: "taps"
};

/// Writes a recording, item by item. What was written before a failure, or before the process was killed, stays
/// readable. All throw UserError with the path and the system's reason.
class RecordingWriter {
 public:
  /// Makes the file, and its folder.
  RecordingWriter(std::filesystem::path file, const RecordedPort& port);

  void add(std::int64_t seq, std::int64_t firing, std::string_view bytes);
  /// Nothing follows; waits until the disk has it all.
  void end(RecordingEnd reason);

  [[nodiscard]] std::int64_t items() const { return items_; }
  /// Of the items themselves.
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

 private:
  std::filesystem::path file_;
  std::int64_t items_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace dflash
