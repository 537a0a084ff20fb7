// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "stages/data/epoch_source.h"
#include "stages/prepare/shard_set.h"

namespace dflash {

/// Documents from shards that `shard_writer` wrote. Shards of another tokenizer or chat template are refused. Row ids
/// are those of the text's rows, so random choices about a row are the same as without shards.
class TokenShards final : public EpochSource {
 public:
  static StageInfo info() { return {.type = "token_shards", .summary = "tokenised rows from prepared shards"}; }

  TokenShards() : EpochSource{"folder of shards, of a run of graphs/prepare.json"} {}

  void check(StageCheck& check) const override;
  void open(const StageEnv& env) override;
  void close() noexcept override { shards_.reset(); }

 protected:
  [[nodiscard]] Document document_at(std::int64_t number) override;

 private:
  /// Refuses data of which `max_length` leaves no row an anchor.
  void require_an_anchor();

  std::optional<ShardSet> shards_;
};

}  // namespace dflash
