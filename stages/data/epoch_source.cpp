// SPDX-License-Identifier: Apache-2.0
#include "stages/data/epoch_source.h"

#include <nlohmann/json.hpp>

#include "framework/core/snapshot.h"
#include "stages/data/chat_document.h"
#include "stages/data/check_rows.h"

namespace dflash {

void EpochSource::start(std::int64_t documents, const StageEnv& env) {
  codec_ = &env.resources->get<TextCodec>();
  cursor_.emplace(EpochCursor::Options{.rows = documents, .epochs = epochs(), .shuffle = shuffle(), .seed = env.seed});
  env.log->expect_work(epochs() * documents);
}

std::optional<Document> EpochSource::next(Firing& firing) {
  while (const std::optional<EpochCursor::Position> position = cursor_->next()) {
    Document document = document_at(position->row);
    document.epoch = position->epoch;
    check_row(document, *codec_, path());
    if (!needs_anchors() || has_anchor(document.loss_mask)) {
      return document;
    }
    firing.count("rows_without_anchor", 1);
  }
  return std::nullopt;
}

void EpochSource::save(Snapshot& snapshot) const { snapshot.values["cursor"] = cursor_->save(); }

void EpochSource::load(const Snapshot& snapshot) { cursor_->load(snapshot.values.at("cursor")); }

}  // namespace dflash
