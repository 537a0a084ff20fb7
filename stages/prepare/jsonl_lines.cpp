// SPDX-License-Identifier: Apache-2.0
#include "stages/prepare/jsonl_lines.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/snapshot.h"
#include "framework/core/stage_check.h"

namespace dflash {

void JsonlLines::check(StageCheck& check) const {
  try {
    (void)is_xz_file(path());
  } catch (const UserError& error) {
    check.add(path, error.what());
  }
}

void JsonlLines::open(const StageEnv&) { reader_ = std::make_unique<LineReader>(path()); }

std::optional<TextLines> JsonlLines::next(Firing&) {
  TextLines made{.file = path(), .first_row = row_, .lines = {}};
  std::string text;
  while (std::ssize(made.lines) < rows() && reader_->next(text)) {
    made.lines.push_back({.number = reader_->place().line, .text = std::move(text)});
    ++row_;
  }
  return made.lines.empty() ? std::nullopt : std::optional{std::move(made)};
}

void JsonlLines::save(Snapshot& snapshot) const {
  const LineReader::Place place = reader_->place();
  snapshot.values.update(Json{{"offset", place.offset}, {"line", place.line}, {"row", row_}});
}

void JsonlLines::load(const Snapshot& snapshot) {
  reader_ = std::make_unique<LineReader>(
      path(), LineReader::Place{.offset = snapshot.values.at("offset"), .line = snapshot.values.at("line")});
  row_ = snapshot.values.at("row");
}

}  // namespace dflash
