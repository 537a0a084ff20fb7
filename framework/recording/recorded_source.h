// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "framework/core/stage.h"
#include "framework/recording/recording.h"

namespace dflash {

/// Plays a recording: the items that were recorded, with their sequence numbers; firings that had been skipped are
/// skipped again. Tensors go to the device of the run, as the recorded stage had left them there.
class RecordedSource final : public Stage {
 public:
  static StageInfo info() { return {.type = "recorded", .summary = "plays recorded items", .uses_device = true}; }

  /// `port`: the name of the output. `rounds`: how often all is played, at least 1. Throws UserError where that makes
  /// more items than can be numbered.
  RecordedSource(Recording recording, std::string_view port, const ItemTypeInfo& type, std::int64_t rounds);

  UntypedOutput items;

  void open(const StageEnv& env) override;
  void fire(Firing& firing) override;
  /// A cut of the run knows how far it was played.
  void save(Snapshot& snapshot) const override;
  void load(const Snapshot& snapshot) override;

 private:
  [[nodiscard]] std::int64_t total() const;
  /// Sequence numbers of one round.
  [[nodiscard]] std::int64_t a_round() const;

  Recording recording_;
  std::int64_t rounds_;
  std::optional<Recording::Item> next_;  // read, and not given yet
  std::string device_;
  RunLog* log_ = nullptr;
  std::int64_t played_ = 0;  // items, over all rounds
  std::int64_t next_seq_ = 0;
};

}  // namespace dflash
