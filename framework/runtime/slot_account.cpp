// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/slot_account.h"

#include <numeric>

namespace dflash {

void SlotAccount::finish(std::int64_t now, std::int64_t stopped, const Enabler& missing) {
  if (!has_ended_) {
    const std::int64_t until = std::clamp(stopped, free_since_, std::max(free_since_, now));
    charge(missing, until - free_since_);
    ended_since_ = until;
    has_ended_ = true;
  }
  ended_ns_ = std::max<std::int64_t>(now - ended_since_, 0);
}

void SlotAccount::write(StageRecord& record, std::int64_t wall_ns) const {
  record.busy_ns = busy_ns_;
  record.starved_in_ns = std::accumulate(starved_by_.begin(), starved_by_.end(), std::int64_t{0});
  record.blocked_out_ns = std::accumulate(blocked_by_.begin(), blocked_by_.end(), std::int64_t{0});
  record.dispatch_ns = dispatch_ns_;
  record.ended_ns = ended_ns_;
  record.unaccounted_ns = record.slots * wall_ns - (busy_ns_ + record.starved_in_ns + record.blocked_out_ns +
                                                    record.gpu_wait_ns + dispatch_ns_ + ended_ns_);
  record.service = service_;
  for (std::size_t i = 0; i < starved_by_.size(); ++i) {
    record.starved_by.push_back({.edge = i, .ns = starved_by_[i]});
  }
  for (std::size_t i = 0; i < blocked_by_.size(); ++i) {
    record.blocked_by.push_back({.edge = i, .ns = blocked_by_[i]});
  }
}

}  // namespace dflash
