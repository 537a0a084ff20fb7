// SPDX-License-Identifier: Apache-2.0
#include "stages/prepare/token_shards.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
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
  shards_.emplace(path());
  shards_->require_codec(env.resources->get<TextCodec>());
  require_an_anchor();
  env.log->set_summary("data", Json{{env.name, {{"rows", shards_->rows()}, {"tokens", shards_->tokens()}}}});
  start(shards_->rows(), env);
}

// What was prepared has anchors, so the first row does unless it was cut.
void TokenShards::require_an_anchor() {
  std::int64_t row = 0;
  while (row < shards_->rows() && !has_anchor(document_at(row).loss_mask)) {
    ++row;
  }
  DFLASH_USER_CHECK(row < shards_->rows(), "{}: no row has an anchor within max_length {}", path(), max_length());
}

Document TokenShards::document_at(std::int64_t number) {
  Document document = shards_->row(number);
  const auto length = std::min<std::size_t>(document.ids.size(), static_cast<std::size_t>(max_length()));
  document.ids.resize(length);
  document.loss_mask.resize(length);
  return document;
}

}  // namespace dflash
