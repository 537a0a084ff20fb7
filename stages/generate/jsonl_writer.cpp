// SPDX-License-Identifier: Apache-2.0
#include "stages/generate/jsonl_writer.h"

#include <utility>

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
  name_ = env.name;
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
  firing.count("rows", std::ssize(taken.lines));
  count(taken);
  say_counts();
  firing.complete_step(++step_);
}

void JsonlWriter::count(const JsonRows& taken) {
  rows_ += std::ssize(taken.lines);
  for (const auto& [reason, some] : taken.left_out) {
    JsonRows::LeftOut& all = left_out_[reason];
    all.rows += some.rows;
    all.words = some.words;
  }
}

std::int64_t JsonlWriter::left_out_rows() const {
  std::int64_t sum = 0;
  for (const auto& [reason, some] : left_out_) {
    sum += some.rows;
  }
  return sum;
}

void JsonlWriter::say_counts() const {
  const std::int64_t left_out = left_out_rows();
  log_->set_done(rows_ + left_out);
  Json summary{{file(), rows_}};
  std::string note = fmt::format("{}: {} {}", path_.string(), rows_, rows_ == 1 ? "row" : "rows");
  if (left_out > 0) {
    note += fmt::format("\n{} of {} rows left out:", left_out, rows_ + left_out);
  }
  for (const auto& [reason, some] : left_out_) {
    summary["left_out"][reason] = some.rows;
    note += fmt::format("\n    {} {}", some.rows, some.words);
  }
  log_->set_summary("rows", summary);
  log_->set_summary("notes", Json{{name_, note}});
}

void JsonlWriter::save(Snapshot& snapshot) const {
  if (!snapshot.folder.empty() && started_) {
    sync_to_disk(path_);  // a checkpoint promises the rows that it knows of
  }
  Json left_out = Json::object();
  for (const auto& [reason, some] : left_out_) {
    left_out[reason] = Json{{"rows", some.rows}, {"words", some.words}};
  }
  snapshot.values.update(Json{{"step", step_}, {"rows", rows_}, {"bytes", bytes_}, {"left_out", std::move(left_out)}});
}

void JsonlWriter::load(const Snapshot& snapshot) {
  step_ = snapshot.values.at("step");
  rows_ = snapshot.values.at("rows");
  bytes_ = snapshot.values.at("bytes");
  left_out_.clear();
  for (const auto& [reason, some] : snapshot.values.at("left_out").items()) {
    left_out_[reason] = {.rows = some.at("rows"), .words = some.at("words")};
  }
  log_->begin_work("rows", rows_ + left_out_rows());
}

}  // namespace dflash
