// SPDX-License-Identifier: Apache-2.0
#include "framework/recording/recording_writer.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "framework/core/json.h"
#include "framework/core/json_syntax.h"

namespace dflash {

RecordingWriter::RecordingWriter(std::filesystem::path file, const RecordedPort& port) : file_{std::move(file)} {
  std::error_code error;
  std::filesystem::create_directories(file_.parent_path(), error);
  DFLASH_USER_CHECK(!error, "cannot make the folder '{}': {}", file_.parent_path().string(), error.message());
  const Json head{{"schema", kRecordingSchema}, {"port", port.port}, {"type", port.type}};
  write_durably(file_, text_of(head) + "\n");
}

void RecordingWriter::add(std::int64_t seq, std::int64_t firing, std::string_view bytes) {
  append_text(file_,
              head_text({.kind = RecordKind::kItem, .seq = seq, .firing = firing, .length = std::ssize(bytes)}, bytes));
  append_text(file_, bytes);
  ++items_;
  bytes_ += std::ssize(bytes);
}

void RecordingWriter::end(RecordingEnd reason) {
  append_text(file_,
              head_text({.kind = RecordKind::kEnd, .seq = items_, .firing = static_cast<std::int64_t>(reason)}, ""));
  sync_to_disk(file_);
}

}  // namespace dflash
