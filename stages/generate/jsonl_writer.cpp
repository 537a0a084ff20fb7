// SPDX-License-Identifier: Apache-2.0
#include "stages/generate/jsonl_writer.h"

#include <cerrno>
#include <cstring>

#include "framework/core/error.h"

namespace dflash {

void JsonlWriter::open(const StageEnv& env) {
  const std::filesystem::path name{file()};
  DFLASH_USER_CHECK(name.has_filename() && !name.has_parent_path(),
                    "parameter 'file': found '{}', allowed: a file name without a folder", file());
  path_ = env.run_dir / name;
}

void JsonlWriter::fire(Firing& firing) {
  const JsonRows taken = firing.take(rows);
  if (!stream_) {
    stream_.reset(std::fopen(path_.c_str(), "we"));
    DFLASH_USER_CHECK(stream_ != nullptr, "cannot write {}: {}", path_.string(), std::strerror(errno));
  }
  for (const std::string& line : taken.lines) {
    const bool written = std::fwrite(line.data(), 1, line.size(), stream_.get()) == line.size() &&
                         std::fputc('\n', stream_.get()) != EOF;
    DFLASH_USER_CHECK(written, "cannot write {}: {}", path_.string(), std::strerror(errno));
  }
  DFLASH_USER_CHECK(std::fflush(stream_.get()) == 0, "cannot write {}: {}", path_.string(), std::strerror(errno));
  firing.count("rows", static_cast<std::int64_t>(taken.lines.size()));
}

}  // namespace dflash
