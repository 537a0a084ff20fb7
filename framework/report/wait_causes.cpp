// SPDX-License-Identifier: Apache-2.0
#include "framework/report/wait_causes.h"

#include <algorithm>

namespace dflash {
namespace {

/// The credit of an item is seen by its producer a little after the consumer has stamped it.
constexpr std::int64_t kSlack = 2'000;

void keep_latest(std::unordered_map<std::int64_t, std::int64_t>& times, std::int64_t number, std::int64_t at) {
  std::int64_t& latest = times.try_emplace(number, at).first->second;
  latest = std::max(latest, at);
}

}  // namespace

WaitCauses::WaitCauses(const Timeline& timeline)
    : last_input_(timeline.stages.size()),
      last_made_(timeline.stages.size()),
      credits_(timeline.stages.size()),
      own_ends_(timeline.stages.size()) {
  std::vector<TimeByNumber> made(timeline.stages.size());
  for (std::size_t stage = 0; stage < timeline.stages.size(); ++stage) {
    for (const DeviceEvent& event : timeline.stages[stage].device_firings) {
      keep_latest(made[stage], event.number, event.end);
      own_ends_[stage].push_back(event.end);
    }
    std::sort(own_ends_[stage].begin(), own_ends_[stage].end());
  }
  for (const EdgeTimeline& edge : timeline.edges) {
    Credit credit{.capacity = edge.capacity_items};
    for (const ItemEvent& item : edge.items) {
      const auto used = made[edge.to_stage].find(item.to_firing);
      credit.left[item.seq] = used == made[edge.to_stage].end() ? item.popped : std::max(item.popped, used->second);
      credit.first_seq.emplace_back(item.from_firing, item.seq);
      if (item.to_firing == 0) {
        continue;
      }
      keep_latest(last_input_[edge.to_stage], item.to_firing, item.pushed);
      const auto done = made[edge.from_stage].find(item.from_firing);
      if (done != made[edge.from_stage].end()) {
        keep_latest(last_made_[edge.to_stage], item.to_firing, done->second);
      }
    }
    std::sort(credit.first_seq.begin(), credit.first_seq.end());
    if (edge.blocks) {
      credits_[edge.from_stage].push_back(std::move(credit));
    }
  }
}

/// 0 where there was room.
std::int64_t WaitCauses::credit_time(const Credit& credit, std::int64_t number) {
  const auto first = std::lower_bound(credit.first_seq.begin(), credit.first_seq.end(), std::pair{number, INT64_MIN});
  const std::int64_t seq = first != credit.first_seq.end() ? first->second : INT64_MAX;
  const auto left = credit.left.find(seq - credit.capacity);
  return left == credit.left.end() ? 0 : left->second;
}

/// When the device had made its last input, or was done with the stage's own firing that it waited for.
std::int64_t WaitCauses::device_time(std::size_t stage, const FiringEvent& firing) const {
  const auto& ends = own_ends_[stage];
  const auto behind = std::upper_bound(ends.begin(), ends.end(), firing.ready + kSlack);
  const std::int64_t own = behind == ends.begin() ? 0 : *std::prev(behind);
  const auto made = last_made_[stage].find(firing.number);
  return std::max(own, made == last_made_[stage].end() || made->second > firing.ready + kSlack ? 0 : made->second);
}

SlotState WaitCauses::cause(std::size_t stage, const FiringEvent& firing) const {
  const auto input = last_input_[stage].find(firing.number);
  const std::int64_t fed = input == last_input_[stage].end() ? 0 : input->second;
  std::int64_t credit = 0;
  for (const Credit& edge : credits_[stage]) {
    const std::int64_t at = credit_time(edge, firing.number);
    credit = at > firing.ready + kSlack ? credit : std::max(credit, at);
  }
  const std::int64_t device = device_time(stage, firing);
  const bool is_source = last_input_[stage].empty();
  if (std::max({fed, credit, device}) <= firing.free) {  // what it waited for is no longer kept
    return is_source ? SlotState::kBlocked : SlotState::kStarved;
  }
  if (device > fed && device > credit) {
    return SlotState::kGpuWait;
  }
  return credit > fed ? SlotState::kBlocked : SlotState::kStarved;
}

}  // namespace dflash
