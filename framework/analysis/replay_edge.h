// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <vector>

#include "framework/analysis/pipeline_model.h"
#include "framework/telemetry/fill_meter.h"
#include "framework/telemetry/run_record.h"
#include "framework/telemetry/timeline.h"

namespace dflash {

/// Which firing makes an item's payload on a device; kNoFiring: the payload is there.
struct MadeBy {
  std::size_t stage = 0;
  std::size_t firing = kNoFiring;  // place among the stage's firings in the replay
};

struct ReplayItem {
  std::int64_t seq = 0;
  std::int64_t from_firing = 0;
  std::int64_t pushed = 0;
  MadeBy made;
};

/// An edge while a run is replayed, with the rules of the runtime's EdgeQueue: a place is taken by a push and free
/// again after the pop, or later where the consumer's device works on with the item.
class ReplayEdge {
 public:
  explicit ReplayEdge(const ModelEdge& model);

  [[nodiscard]] bool has_credit() const { return !model_->blocks || discards_ || places_ < model_->capacity_items; }
  /// When the place for the next item became free.
  [[nodiscard]] std::int64_t credit_since() const { return credit_since_; }
  [[nodiscard]] bool is_empty() const { return inside_.empty(); }
  [[nodiscard]] bool is_over() const { return has_ended_ && inside_.empty(); }
  [[nodiscard]] std::int64_t ended_at() const { return ended_at_; }
  [[nodiscard]] const ReplayItem& front() const { return inside_.front(); }

  /// False: there is no room. An edge that does not block drops the item then, and says true.
  bool push(const ReplayItem& item, std::int64_t now);
  ReplayItem pop(std::int64_t now, std::int64_t firing, bool keeps_place);
  /// A device has done with an item that was popped, or with one that had been before the replay began.
  void free_place(std::int64_t now);
  void hold_place() { ++places_; }
  void end(std::int64_t now);
  /// Nobody takes items any more; those inside are lost.
  void discard(std::int64_t now);

  /// Once nothing moves any more: what is still inside is given up.
  void finish(std::int64_t now);
  [[nodiscard]] EdgeTimeline timeline() const;
  [[nodiscard]] EdgeRecord record(std::int64_t wall_ns) const;

 private:
  void measure(std::int64_t now) { fill_.advance(now, std::ssize(inside_), places_ >= model_->capacity_items); }
  void note(const ReplayItem& item, std::int64_t popped, std::int64_t firing);

  const ModelEdge* model_;
  std::deque<ReplayItem> inside_;
  std::int64_t places_ = 0;  // taken
  std::int64_t credit_since_ = 0;
  std::int64_t next_seq_ = 0;
  bool has_ended_ = false;
  bool discards_ = false;
  std::int64_t ended_at_ = 0;
  std::int64_t drops_ = 0;
  std::int64_t abandoned_ = 0;
  FillMeter fill_;
  std::int64_t most_inside_ = 0;
  std::vector<ItemEvent> events_;
};

}  // namespace dflash
