// SPDX-License-Identifier: Apache-2.0
#include "stages/generate/jsonl_writer.h"

#include <cerrno>
#include <cstring>
#include <system_error>

#include "framework/core/error.h"
#include "framework/core/json_spot.h"
#include "framework/core/stage_check.h"

namespace dflash {

void JsonlWriter::check(StageCheck& check) const {
  const std::filesystem::path name{file()};
  if (!name.has_filename() || name.has_parent_path() || name == "." || name == "..") {
    check.add(file, found_text(file.value_json(), "a file name without a folder"));
  }
}

void JsonlWriter::open(const StageEnv& env) { path_ = env.run_dir / file(); }

void JsonlWriter::fire(Firing& firing) {
  const JsonRows taken = firing.take(rows);
  if (!stream_) {
    stream_.reset(std::fopen(path_.c_str(), "wxe"));  // x: the rows of an earlier run are not to be lost
    DFLASH_USER_CHECK(stream_ != nullptr, "cannot write {}: {}", path_.string(),
                      std::generic_category().message(errno));
  }
  for (const std::string& line : taken.lines) {
    const bool written = std::fwrite(line.data(), 1, line.size(), stream_.get()) == line.size() &&
                         std::fputc('\n', stream_.get()) != EOF;
    DFLASH_USER_CHECK(written, "cannot write {}: {}", path_.string(), std::generic_category().message(errno));
  }
  DFLASH_USER_CHECK(std::fflush(stream_.get()) == 0, "cannot write {}: {}", path_.string(),
                    std::generic_category().message(errno));
  firing.count("rows", static_cast<std::int64_t>(taken.lines.size()));
}

}  // namespace dflash
