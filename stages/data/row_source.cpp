// SPDX-License-Identifier: Apache-2.0
#include "stages/data/row_source.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/snapshot.h"

namespace dflash {

namespace {
constexpr std::size_t kSampleRows = 64;
}

void RowSource::open(const StageEnv& env) {
  DFLASH_USER_CHECK(!path().empty(), "parameter 'path' is missing: a text file, plain or .xz");
  codec_ = &env.resources->get<TextCodec>();
  rows_ = std::make_unique<TextRows>(path(), unit_);
  find_usable_rows();
  env.log->set_summary("data", Json{{env.name, {{"rows", rows_->size()}, {"rejected", rejected_.summary()}}}});
  rejected_.check(rows_->size(), max_bad_fraction(), path());
  check_sample();
  cursor_.emplace(EpochCursor::Options{
      .rows = static_cast<std::int64_t>(usable_.size()), .epochs = epochs(), .shuffle = shuffle(), .seed = env.seed});
}

void RowSource::find_usable_rows() {
  for (std::int64_t row = 0; row < rows_->size(); ++row) {
    if (const std::optional<std::string> problem = problem_of(rows_->row(row))) {
      rejected_.add(rows_->place(row), *problem);
    } else {
      usable_.push_back(row);
    }
  }
}

// A sample is enough where it has a row that can train. Where it has none, the whole data is looked through, so that
// `next` can rely on finding one.
void RowSource::check_sample() {
  std::vector<Document> sample;
  bool anchored = false;
  for (const std::int64_t row : usable_) {
    if (sample.size() >= kSampleRows && anchored) {
      break;
    }
    Document document = document_at(row);
    const bool fits = has_anchor(document.loss_mask);
    anchored = anchored || fits;
    if (sample.size() < kSampleRows || fits) {
      sample.push_back(std::move(document));
    }
  }
  check_rows(sample, *codec_, path(), needs_);
}

Document RowSource::document_at(std::int64_t row) {
  Document document = document_of(rows_->row(row));
  document.row_id = row;
  return document;
}

std::optional<Document> RowSource::next(Firing& firing) {
  if (!counted_) {
    firing.count("rows_rejected", rejected_.count());
    counted_ = true;
  }
  while (const std::optional<EpochCursor::Position> position = cursor_->next()) {
    Document document = document_at(usable_[static_cast<std::size_t>(position->row)]);
    document.epoch = position->epoch;
    if (has_anchor(document.loss_mask)) {
      return document;
    }
    firing.count("rows_without_anchor", 1);
  }
  return std::nullopt;
}

void RowSource::close() noexcept { rows_.reset(); }

void RowSource::save(Snapshot& snapshot) const { snapshot.values["cursor"] = cursor_->save(); }

void RowSource::load(const Snapshot& snapshot) { cursor_->load(snapshot.values.at("cursor")); }

}  // namespace dflash
