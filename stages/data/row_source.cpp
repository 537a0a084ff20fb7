// SPDX-License-Identifier: Apache-2.0
#include "stages/data/row_source.h"

#include <algorithm>
#include <unordered_set>

#define XXH_INLINE_ALL
#include <nlohmann/json.hpp>
#include <xxhash.h>

#include "framework/core/error.h"
#include "framework/core/stage_check.h"
#include "stages/data/text_file.h"

namespace dflash {

namespace {
constexpr std::size_t kSampleRows = 64;
}

void RowSource::check(StageCheck& check) const {
  const auto* codec = check.needs<TextCodec>("models.target");
  // What was asked for must be possible; of the default, the rows themselves are looked at.
  if (codec != nullptr && codec->max_positions > 0 && max_length.is_set() && max_length() > codec->max_positions) {
    check.add(max_length, fmt::format("found {}, allowed: at most the target's max_position_embeddings, {}",
                                      max_length(), codec->max_positions));
  }
  try {
    if (codec != nullptr) {
      check_first_rows(*codec);
    } else {
      (void)is_xz_file(path());
    }
  } catch (const UserError& error) {
    check.add(path, error.what());
  }
}

// Of a file that goes on, the first rows say nothing about how many are bad or supervised in all.
void RowSource::check_first_rows(const TextCodec& codec) const {
  TextRows rows{path(), unit_, kSampleRows};
  RejectedRows rejected;
  std::vector<Document> sample;
  for (const std::int64_t row : usable_rows(rows, rejected, codec)) {
    sample.push_back(document_in(rows, row, codec));
  }
  if (rows.complete()) {
    rejected.check(rows.size(), max_bad_fraction(), path());
  } else {
    rejected.check_first(rows.size(), path());
  }
  check_rows(sample, codec, path(), rows.complete() && needs_anchors() ? RowSample::kAll : RowSample::kFirst);
}

void RowSource::open(const StageEnv& env) {
  codec_ = &env.resources->get<TextCodec>();
  rows_ = std::make_unique<TextRows>(path(), unit_);
  usable_ = usable_rows(*rows_, rejected_, *codec_);
  repeated_ = distinct() ? drop_repeated(usable_, *rows_) : 0;
  env.log->set_summary("data", Json{{env.name,
                                     {{"rows", rows_->size()},
                                      {"rejected", rejected_.summary()},
                                      {"repeated", repeated_},
                                      {"used", usable_.size()}}}});
  rejected_.check(rows_->size(), max_bad_fraction(), path());
  if (const std::string note = note_of_rows(); !note.empty()) {
    env.log->set_summary("notes", Json{{env.name, note}});
  }
  check_sample();
  start(std::ssize(usable_), env);
}

std::string RowSource::note_of_rows() const {
  std::string note = rejected_.count() > 0 ? fmt::format("{}: {}", path(), rejected_.note(rows_->size())) : "";
  if (repeated_ > 0) {
    note += fmt::format("{}{}: {} of {} rows ask what an earlier one asks, and are left out (distinct)",
                        note.empty() ? "" : "\n", path(), repeated_, rows_->size());
  }
  return note;
}

std::vector<std::int64_t> RowSource::usable_rows(TextRows& rows, RejectedRows& rejected, const TextCodec& codec) const {
  std::vector<std::int64_t> usable;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    if (const std::optional<std::string> problem = problem_of(rows.row(row), codec)) {
      rejected.add(rows.place(row), *problem);
    } else {
      usable.push_back(row);
    }
  }
  return usable;
}

std::int64_t RowSource::drop_repeated(std::vector<std::int64_t>& usable, TextRows& rows) const {
  std::unordered_set<std::uint64_t> seen;  // hashes: of a billion different rows one might be lost
  return static_cast<std::int64_t>(std::erase_if(usable, [&](std::int64_t row) {
    const std::string question = question_of(rows.row(row));
    return !seen.insert(XXH3_64bits(question.data(), question.size())).second;
  }));
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
    Document document = document_in(*rows_, row, *codec_);
    const bool fits = !needs_anchors() || has_anchor(document.loss_mask);
    anchored = anchored || fits;
    if (sample.size() < kSampleRows || fits) {
      sample.push_back(std::move(document));
    }
  }
  check_rows(sample, *codec_, path(), needs_anchors() ? RowSample::kAll : RowSample::kFirst);
}

Document RowSource::document_in(TextRows& rows, std::int64_t row, const TextCodec& codec) const {
  Document document = document_of(rows.row(row), codec);
  document.row_id = row;
  return document;
}

Document RowSource::document_at(std::int64_t number) {
  return document_in(*rows_, usable_[static_cast<std::size_t>(number)], *codec_);
}

std::optional<Document> RowSource::next(Firing& firing) {
  if (!counted_) {
    firing.count("rows_rejected", rejected_.count());
    if (distinct()) {
      firing.count("rows_repeated", repeated_);
    }
    counted_ = true;
  }
  return EpochSource::next(firing);
}

void RowSource::close() noexcept { rows_.reset(); }

}  // namespace dflash
