// SPDX-License-Identifier: Apache-2.0
#include "stages/prepare/shard_writer.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/snapshot.h"
#include "stages/data/text_codec.h"
#include "stages/prepare/shard_set.h"

namespace dflash {

namespace {
constexpr std::int64_t kRowsToTell = 1000;  // of a file whose first rows are all bad, nobody wants to see the end
}

void ShardWriter::open(const StageEnv& env) {
  name_ = env.name;
  folder_ = env.run_dir / "shards";
  log_ = env.log;
  log_->begin_work("rows", 0);
  settings_ = codec_settings(env.resources->get<TextCodec>());
}

void ShardWriter::take(TokenizedRows taken, Firing& firing) {
  file_ = taken.file;
  settings_.insert(taken.settings.begin(), taken.settings.end());
  for (const auto& [place, reason] : taken.rejected) {
    rejected_.add(place, reason);
  }
  rows_in_ += taken.rows;
  without_anchor_ += taken.without_anchor;
  rows_out_ += std::ssize(taken.documents);
  for (Document& document : taken.documents) {
    pending_tokens_ += std::ssize(document.ids);
    pending_.push_back(std::move(document));
  }
  DFLASH_CHECK(rows_in_ == rows_out_ + rejected_.count() + without_anchor_,
               "{} rows in, {} out, {} rejected, {} without an anchor", rows_in_, rows_out_, rejected_.count(),
               without_anchor_);
  firing.count("rows", std::ssize(taken.documents));
  if (rows_in_ >= kRowsToTell) {
    rejected_.check_first(rows_in_, file_);
  }
  log_->set_done(rows_in_);
}

void ShardWriter::fire(Firing& firing) {
  take(firing.take(rows), firing);
  if (pending_tokens_ >= shard_tokens()) {
    write_shard_of_pending();
    firing.complete_step(shards_);
  }
}

void ShardWriter::write_shard_of_pending() {
  std::filesystem::create_directories(folder_);
  write_shard(folder_ / shard_name(shards_), pending_, settings_);
  ++shards_;
  tokens_ += pending_tokens_;
  pending_.clear();
  pending_tokens_ = 0;
  say_counts();
}

void ShardWriter::say_counts() const {
  log_->set_summary("shards", Json{{"rows_in", rows_in_},
                                   {"rows", rows_out_},
                                   {"rejected", rejected_.summary()},
                                   {"without_anchor", without_anchor_},
                                   {"shards", shards_},
                                   {"tokens", tokens_}});
}

void ShardWriter::drain(Firing&) {
  if (!pending_.empty()) {
    write_shard_of_pending();
  }
  say_counts();
  rejected_.check(rows_in_, max_bad_fraction(), file_);
  DFLASH_USER_CHECK(rows_out_ > 0, "{}: none of {} rows has two supervised tokens in a row, which an anchor needs",
                    file_, rows_in_);
  write_shard_list(folder_, Json{{"shards", shards_},
                                 {"rows", rows_out_},
                                 {"tokens", tokens_},
                                 {"rejected", rejected_.summary()},
                                 {"without_anchor", without_anchor_},
                                 {"source", file_},
                                 {"settings", settings_}});
  log_->set_summary("notes", Json{{name_, note()}});
}

std::string ShardWriter::note() const {
  std::string text = fmt::format("{}: {} rows, {} tokens, shards: {}", folder_.string(), rows_out_, tokens_, shards_);
  if (rejected_.count() > 0) {
    text += "\n" + rejected_.note(rows_in_);
  }
  if (without_anchor_ > 0) {
    text += fmt::format("\n{} of {} rows left out: they have no two supervised tokens in a row, which an anchor needs",
                        without_anchor_, rows_in_);
  }
  return text;
}

void ShardWriter::save(Snapshot& snapshot) const {
  DFLASH_CHECK(pending_.empty() || snapshot.folder.empty(), "a checkpoint between shards, with {} rows held",
               pending_.size());
  snapshot.values.update(Json{{"shards", shards_},
                              {"rows_in", rows_in_},
                              {"rows_out", rows_out_},
                              {"tokens", tokens_},
                              {"without_anchor", without_anchor_},
                              {"rejected", rejected_.summary()}});
}

void ShardWriter::load(const Snapshot& snapshot) {
  shards_ = snapshot.values.at("shards");
  rows_in_ = snapshot.values.at("rows_in");
  rows_out_ = snapshot.values.at("rows_out");
  tokens_ = snapshot.values.at("tokens");
  without_anchor_ = snapshot.values.at("without_anchor");
  rejected_.restore(snapshot.values.at("rejected"));
  log_->begin_work("rows", rows_in_);
}

}  // namespace dflash
