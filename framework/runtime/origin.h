// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "framework/core/item.h"
#include "framework/core/json.h"
#include "framework/core/snapshot.h"
#include "framework/core/stage.h"

namespace dflash {

using OriginPointer = std::shared_ptr<const Origin>;

/// One stage's entry in an origin: where to take it up again. Its numbers belong to the moment of `state`, but
/// `delivered`, which is ahead of `outputs` where a firing emitted several items and not all had been taken: going on
/// from `state` makes those again, and the ones below `delivered` are dropped.
struct StagePosition {
  std::int64_t firings = 0;
  std::vector<std::int64_t> outputs;    // next sequence number of each output
  std::vector<std::int64_t> delivered;  // next sequence number of each output that the consumer still lacks
  std::vector<std::int64_t>
      inputs;  // next sequence number of each input; empty for a buffer, which accounts for itself
  Json state;  // the stage's snapshot values
};

[[nodiscard]] Json to_json(const StagePosition& position);
/// Throws Json::exception where the value is no position.
[[nodiscard]] StagePosition position_from_json(const Json& json);

/// The union of origins. Where two know the same stage at different moments, the earlier one counts: what comes again
/// is dropped by sequence number. Shares the object where there is nothing to merge; null where all are null.
[[nodiscard]] OriginPointer merge_origins(const std::vector<OriginPointer>& origins);

/// An emitted item that has not left its stage yet.
struct StagedItem {
  std::size_t port = 0;
  Item item;
};

/// Keeps one stage's position, and marks what it emits with its origin. Costs nothing until `start` was called.
class OriginTracker {
 public:
  OriginTracker(std::string name, const Stage& stage);

  /// Before the first firing: origins of the inputs' producers, and the position to go on from (afresh: as the stage
  /// stands now).
  void start(std::vector<OriginPointer> producers, const StagePosition* resumed);
  /// The origin of what the stage emitted last; before the first item, its initial position.
  [[nodiscard]] const OriginPointer& last() const { return last_; }

  void took(std::size_t input, const Item& item) {
    if (tracks_) {
      remember(input, item);
    }
  }
  /// After a firing: `staged` items have their sequence numbers, `next_seq` counts them.
  void mark(std::vector<StagedItem>& staged, std::int64_t firings, const std::vector<std::int64_t>& next_seq) {
    if (tracks_ && !staged.empty()) {
      mark_staged(staged, firings, next_seq);
    }
  }

  /// The step stage: this moment is an optimiser step's end.
  void mark_boundary(std::int64_t firings, std::vector<std::int64_t> next_seq);
  /// The cut as of the last boundary: every stage's position, with this stage's own state as it stands now. Files of
  /// the stage go to `folder`/NAME.
  void save_cut(const std::filesystem::path& folder) const;

 private:
  void remember(std::size_t input, const Item& item);
  void mark_staged(std::vector<StagedItem>& staged, std::int64_t firings, const std::vector<std::int64_t>& next_seq);
  [[nodiscard]] OriginPointer with_own(const OriginPointer& base, const StagePosition& position) const;

  struct Boundary {
    std::int64_t firings = 0;
    std::vector<OriginPointer> origins;
    std::vector<std::int64_t> inputs;
    std::vector<std::int64_t> outputs;
  };

  std::string name_;
  const Stage* stage_;
  bool is_buffer_;
  bool tracks_ = false;
  std::vector<OriginPointer> taken_;  // of the last item on each input
  OriginPointer start_;               // of all inputs before the first item
  std::vector<std::int64_t> next_in_;
  StagePosition position_;  // as of the last emitted item
  OriginPointer last_;
  Boundary boundary_;
};

}  // namespace dflash
