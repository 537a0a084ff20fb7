// SPDX-License-Identifier: Apache-2.0
#include "stages/prepare/token_shards.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/snapshot.h"
#include "framework/core/stage_check.h"
#include "stages/data/chat_document.h"
#include "stages/data/check_rows.h"

namespace dflash {

void TokenShards::check(StageCheck& check) const {
  const auto* codec = check.needs<TextCodec>("models.target");
  try {
    const ShardSet shards{path()};
    if (codec != nullptr) {
      shards.require_codec(*codec);
      check_row(shards.row(0), *codec, path());
    }
  } catch (const UserError& error) {
    check.add(path, error.what());
  }
}

void TokenShards::open(const StageEnv& env) {
  codec_ = &env.resources->get<TextCodec>();
  shards_.emplace(path());
  shards_->require_codec(*codec_);
  env.log->set_summary("data", Json{{env.name, {{"rows", shards_->rows()}, {"tokens", shards_->tokens()}}}});
  env.log->expect_work(epochs() * shards_->rows());
  cursor_.emplace(
      EpochCursor::Options{.rows = shards_->rows(), .epochs = epochs(), .shuffle = shuffle(), .seed = env.seed});
}

std::optional<Document> TokenShards::next(Firing& firing) {
  std::optional<std::int64_t> skipped_from;  // the epoch of the first document that this call left out
  while (const std::optional<EpochCursor::Position> position = cursor_->next()) {
    Document document = shards_->row(position->row);
    document.epoch = position->epoch;
    const auto length = std::min<std::size_t>(document.ids.size(), static_cast<std::size_t>(max_length()));
    document.ids.resize(length);
    document.loss_mask.resize(length);
    check_row(document, *codec_, path());
    if (has_anchor(document.loss_mask)) {
      return document;
    }
    firing.count("rows_without_anchor", 1);
    skipped_from = skipped_from.value_or(document.epoch);
    DFLASH_USER_CHECK(document.epoch < *skipped_from + 2, "{}: no row has an anchor within max_length {}", path(),
                      max_length());
  }
  return std::nullopt;
}

void TokenShards::save(Snapshot& snapshot) const { snapshot.values["cursor"] = cursor_->save(); }

void TokenShards::load(const Snapshot& snapshot) { cursor_->load(snapshot.values.at("cursor")); }

}  // namespace dflash
