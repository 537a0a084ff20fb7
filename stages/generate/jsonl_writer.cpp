// SPDX-License-Identifier: Apache-2.0
#include "stages/generate/jsonl_writer.h"

#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "framework/core/json_spot.h"
#include "framework/core/snapshot.h"
#include "framework/core/stage_check.h"

namespace dflash {
namespace {

std::filesystem::path free_name_beside(const std::filesystem::path& path) {
  for (int number = 1;; ++number) {
    std::filesystem::path name = fmt::format("{}.{}", path.string(), number);
    if (!std::filesystem::exists(name)) {
      return name;
    }
  }
}

}  // namespace

void JsonlWriter::check(StageCheck& check) const {
  const std::filesystem::path name{file()};
  if (!name.has_filename() || name.has_parent_path() || name == "." || name == "..") {
    check.add(file, found_text(file.value_json(), "a file name without a folder"));
  }
}

void JsonlWriter::open(const StageEnv& env) {
  path_ = env.run_dir / file();
  log_ = env.log;
  log_->begin_work("rows", 0);
}

void JsonlWriter::start_file(Firing& firing) {
  if (bytes_ == 0 && std::filesystem::exists(path_)) {
    std::filesystem::rename(path_, free_name_beside(path_));
    firing.count("files_put_aside", 1);
  }
  if (bytes_ > 0) {
    const std::uint64_t found = std::filesystem::exists(path_) ? std::filesystem::file_size(path_) : 0;
    DFLASH_USER_CHECK(found >= bytes_, "{} has {} bytes, fewer than the {} that its checkpoint knows of",
                      path_.string(), found, bytes_);
    std::filesystem::resize_file(path_, bytes_);
  }
  started_ = true;
}

void JsonlWriter::fire(Firing& firing) {
  const JsonRows taken = firing.take(rows);
  if (!started_) {
    start_file(firing);
  }
  std::string text;
  for (const std::string& line : taken.lines) {
    text += line + '\n';
  }
  append_text(path_, text);
  bytes_ += text.size();
  rows_ += std::ssize(taken.lines);
  firing.count("rows", std::ssize(taken.lines));
  log_->set_done(rows_);
  log_->set_summary("rows", Json{{file(), rows_}});
  firing.complete_step(++step_);
}

void JsonlWriter::save(Snapshot& snapshot) const {
  if (!snapshot.folder.empty() && started_) {
    sync_to_disk(path_);  // a checkpoint promises the rows that it knows of
  }
  snapshot.values.update(Json{{"step", step_}, {"rows", rows_}, {"bytes", bytes_}});
}

void JsonlWriter::load(const Snapshot& snapshot) {
  step_ = snapshot.values.at("step");
  rows_ = snapshot.values.at("rows");
  bytes_ = snapshot.values.at("bytes");
  log_->begin_work("rows", rows_);
}

}  // namespace dflash
