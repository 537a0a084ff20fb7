// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "framework/core/stage.h"
#include "stages/data/document.h"
#include "stages/data/epoch_cursor.h"
#include "stages/data/text_codec.h"
#include "stages/prepare/shard_set.h"

namespace dflash {

/// Documents from shards that `shard_writer` wrote. Shards of another tokenizer or chat template are refused. Row ids
/// are those of the text's rows, so random choices about a row are the same as without shards.
class TokenShards final : public Source<Document> {
 public:
  static StageInfo info() { return {.type = "token_shards", .summary = "tokenised rows from prepared shards"}; }

  Param<std::string> path{
      *this, "path", {.required = true, .help = "folder of shards, of a run of graphs/prepare.json"}};
  Param<std::int64_t> max_length{
      *this,
      "max_length",
      {.value = 2048, .min = 2, .unit = "tokens", .help = "longer documents are cut off on the right"}};
  Param<std::int64_t> epochs{*this, "epochs", {.value = 0, .min = 0, .help = "times over the data; 0: endless"}};
  Param<bool> shuffle{*this, "shuffle", {.value = true, .help = "a new order each epoch, drawn from the run's seed"}};

  TokenShards() : Source{"documents", "one tokenised row each, with its loss mask"} {}

  void check(StageCheck& check) const override;
  void open(const StageEnv& env) override;
  [[nodiscard]] std::optional<Document> next(Firing& firing) override;
  void close() noexcept override { shards_.reset(); }
  void save(Snapshot& snapshot) const override;
  void load(const Snapshot& snapshot) override;

 private:
  const TextCodec* codec_ = nullptr;
  std::optional<ShardSet> shards_;
  std::optional<EpochCursor> cursor_;
};

}  // namespace dflash
