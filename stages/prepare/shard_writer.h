// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "framework/core/stage.h"
#include "stages/data/document.h"
#include "stages/data/rejected_rows.h"
#include "stages/prepare/tokenized_rows.h"

namespace dflash {

/// Writes documents into shards, `shards/` in the run directory, which `token_shards` reads. Every shard is a step of
/// the run: with `run.checkpoint.every: 1` a run that was killed goes on behind the last. The folder is complete once
/// it has `shards.json`, which is written only where no more rows were rejected than allowed.
class ShardWriter final : public Stage {
 public:
  static StageInfo info() {
    return {
        .type = "shard_writer", .summary = "writes documents into shards in the run directory", .drives_steps = true};
  }

  Input<TokenizedRows> rows{*this, "rows", "documents, in order"};

  Param<std::int64_t> shard_tokens{
      *this,
      "shard_tokens",
      {.value = 16 << 20, .min = 1, .unit = "tokens", .help = "a shard is written once it has so many; 5 bytes each"}};
  Param<double> max_bad_fraction{
      *this,
      "max_bad_fraction",
      {.value = 0.01, .min = 0.0, .max = 1.0, .help = "more rejected rows than this end the run"}};

  void open(const StageEnv& env) override;
  void fire(Firing& firing) override;
  void drain(Firing& firing) override;
  void save(Snapshot& snapshot) const override;
  void load(const Snapshot& snapshot) override;

 private:
  void take(TokenizedRows taken, Firing& firing);
  void write_shard_of_pending();
  void say_counts() const;
  /// What became of all rows, for the end of the run.
  [[nodiscard]] std::string note() const;

  std::string name_;
  RunLog* log_ = nullptr;
  std::filesystem::path folder_;
  std::string file_;                             // that rows come from
  std::map<std::string, std::string> settings_;  // of the target and of how rows were tokenised
  std::vector<Document> pending_;
  std::int64_t pending_tokens_ = 0;
  std::int64_t shards_ = 0;
  std::int64_t rows_in_ = 0;
  std::int64_t rows_out_ = 0;
  std::int64_t tokens_ = 0;
  std::int64_t without_anchor_ = 0;
  RejectedRows rejected_;
};

}  // namespace dflash
