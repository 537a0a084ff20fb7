// SPDX-License-Identifier: Apache-2.0
#include "framework/report/blame_walk.h"

#include <algorithm>
#include <map>
#include <utility>

#include "framework/report/needed_work.h"

namespace dflash {
namespace {

/// Waiting on its way: at a stage, which it reached over an edge.
using Place = std::pair<std::size_t, std::size_t>;
using Waiting = std::map<Place, double>;

class Walk {
 public:
  explicit Walk(const RunRecord& record) : record_{record}, needed_{needed_shares(record)} {
    for (std::size_t i = 0; i < record.stages.size(); ++i) {
      buffers_.push_back(record.is_buffer(i));
    }
  }

  Blame run() {
    Waiting waiting = start();
    // Waiting loses mass at every busy stage; what still circles after this many rounds is settled where it stands.
    const std::size_t rounds = 4 * record_.stages.size() + 16;
    for (std::size_t round = 0; round < rounds && !waiting.empty(); ++round) {
      Waiting next;
      for (const auto& [place, ns] : waiting) {
        pass_on(place, ns, next);
      }
      waiting = std::move(next);
    }
    for (const auto& [place, ns] : waiting) {
      by_stage_[place.first] += ns;
    }
    return summed();
  }

 private:
  Waiting start() {
    Waiting waiting;
    for (std::size_t i = 0; i < record_.stages.size(); ++i) {
      if (buffers_[i]) {
        continue;
      }
      by_lane_[record_.stages[i].lane] += static_cast<double>(record_.stages[i].dispatch_ns);
      for (const auto& [place, ns] : waits_for_others(i)) {
        waiting[place] += ns;
      }
    }
    return waiting;
  }

  /// What a stage waited for, by whom and over which edge. On a device that is its slack: it may have waited for others
  /// while its own work went on there; and where its host waited less, its work queued there for what makes its inputs.
  [[nodiscard]] Waiting waits_for_others(std::size_t stage_index) const {
    const StageRecord& stage = record_.stages[stage_index];
    Waiting waits;
    double all = 0.0;
    const auto add = [&](std::size_t stage_behind, const EdgeWait& wait) {
      waits[{stage_behind, wait.edge}] += static_cast<double>(wait.ns);
      all += static_cast<double>(wait.ns);
    };
    for (const auto* inputs : {&stage.starved_by, &stage.unmade_by}) {
      for (const EdgeWait& wait : *inputs) {
        add(record_.edges[wait.edge].from_stage, wait);
      }
    }
    for (const EdgeWait& wait : stage.blocked_by) {
      add(record_.edges[wait.edge].to_stage, wait);
    }
    if (stage.device_firings == 0) {
      return waits;
    }
    const auto slack = static_cast<double>(stage.slack_ns(record_.wall_ns));
    for (auto& [place, ns] : waits) {
      ns *= all > slack ? slack / all : 1.0;
    }
    for (const auto& [place, ns] : queued_behind(stage_index, std::max(slack - all, 0.0))) {
      waits[place] += ns;
    }
    return waits;
  }

  /// The stages whose work on the device makes this one's inputs, each with its part of the waiting for that.
  [[nodiscard]] Waiting queued_behind(std::size_t stage, double queued) const {
    Waiting parts;
    const double all = made_in(stage);
    for (std::size_t e = 0; e < record_.edges.size() && all > 0.0 && queued > 0.0; ++e) {
      const EdgeRecord& edge = record_.edges[e];
      if (edge.to_stage == stage && !edge.is_buffer) {
        parts[{edge.from_stage, e}] = queued * span_of(edge.from_stage) / all;
      }
    }
    return parts;
  }

  /// Time on the device that went into a stage's inputs.
  [[nodiscard]] double made_in(std::size_t stage) const {
    double sum = 0.0;
    for (const EdgeRecord& edge : record_.edges) {
      sum += edge.to_stage == stage && !edge.is_buffer ? span_of(edge.from_stage) : 0.0;
    }
    return sum;
  }

  [[nodiscard]] double span_of(std::size_t stage) const {
    return buffers_[stage] ? made_in(stage) : static_cast<double>(record_.stages[stage].gpu_span.sum());
  }

  void pass_on(const Place& place, double ns, Waiting& next) {
    const auto [stage_index, via] = place;
    if (buffers_[stage_index]) {
      pass_through_buffer(place, ns, next);
      return;
    }
    const StageRecord& stage = record_.stages[stage_index];
    const double needed = needed_[stage_index];
    const double own = static_cast<double>(stage.needed_ns()) * needed * weight_of(stage_index);
    const Waiting others = waits_of(stage_index, via);
    double total = own + static_cast<double>(stage.dispatch_ns);
    for (const auto& other : others) {
      total += other.second;
    }
    if (total <= 0.0) {
      by_stage_[stage_index] += ns;
      return;
    }
    by_stage_[stage_index] += ns * own / total;
    by_lane_[stage.lane] += ns * static_cast<double>(stage.dispatch_ns) / total;
    for (const auto& [target, weight] : others) {
      if (weight > 0.0) {
        next[target] += ns * weight / total;
      }
    }
  }

  /// What waiting that came over an edge may be passed on to: never back over that edge.
  [[nodiscard]] Waiting waits_of(std::size_t stage_index, std::size_t via) const {
    Waiting waits = waits_for_others(stage_index);
    for (const auto& [place, ns] : ahead_of(stage_index)) {
      waits[place] += ns;
    }
    std::erase_if(waits, [&](const auto& wait) { return wait.first.second == via; });
    return waits;
  }

  /// The stages that had not taken by the end what this one made, each with a part of the time that went into it.
  [[nodiscard]] Waiting ahead_of(std::size_t stage) const {
    Waiting parts;
    const double surplus = static_cast<double>(record_.stages[stage].needed_ns()) * (1.0 - needed_[stage]);
    double left = 0.0;
    for (std::size_t e = 0; e < record_.edges.size(); ++e) {
      const EdgeRecord& edge = record_.edges[e];
      if (edge.from_stage == stage && edge.to_stage > stage) {
        parts[{edge.to_stage, e}] = 1.0 - taken_share(edge) * needed_[edge.to_stage];
        left += parts[{edge.to_stage, e}];
      }
    }
    for (auto& [place, part] : parts) {
      part = left > 0.0 ? surplus * part / left : 0.0;
    }
    return parts;
  }

  /// What holds up a run by a stage's own doing, as a part of its time: one with idle time does not.
  [[nodiscard]] double weight_of(std::size_t stage) const {
    const double used = record_.stages[stage].load(record_.wall_ns) * needed_[stage];
    return used * used * used;
  }

  void pass_through_buffer(const Place& place, double waited, Waiting& next) {
    const double own = waited * weight_of(place.first);
    const double ns = waited - own;
    by_stage_[place.first] += own;
    const bool downstream = record_.edges[place.second].to_stage == place.first;
    std::vector<Place> targets;
    for (std::size_t e = 0; e < record_.edges.size(); ++e) {
      const EdgeRecord& edge = record_.edges[e];
      if (edge.is_buffer) {
        continue;
      }
      if (downstream && edge.from_stage == place.first) {
        targets.emplace_back(edge.to_stage, e);
      }
      if (!downstream && edge.to_stage == place.first) {
        targets.emplace_back(edge.from_stage, e);
      }
    }
    if (targets.empty()) {
      by_stage_[place.first] += ns;
    }
    for (const Place& target : targets) {
      next[target] += ns / static_cast<double>(targets.size());
    }
  }

  [[nodiscard]] bool is_source(std::size_t stage) const {
    return std::none_of(record_.edges.begin(), record_.edges.end(),
                        [&](const EdgeRecord& edge) { return edge.to_stage == stage; });
  }

  [[nodiscard]] Blame summed() const {
    Blame blame;
    for (const auto& [stage, ns] : by_stage_) {
      const auto kind = is_source(stage) ? WaitCause::Kind::kSource : WaitCause::Kind::kStage;
      blame.causes.push_back({.kind = kind, .name = record_.stages[stage].name, .ns = ns});
    }
    for (const auto& [lane, ns] : by_lane_) {
      blame.causes.push_back({.kind = WaitCause::Kind::kLane, .name = lane, .ns = ns});
    }
    std::erase_if(blame.causes, [](const WaitCause& cause) { return cause.ns <= 0.0; });
    for (const WaitCause& cause : blame.causes) {
      blame.waiting_ns += cause.ns;
    }
    for (WaitCause& cause : blame.causes) {
      cause.share = cause.ns / blame.waiting_ns;
    }
    std::stable_sort(blame.causes.begin(), blame.causes.end(),
                     [](const WaitCause& a, const WaitCause& b) { return a.ns > b.ns; });
    return blame;
  }

  const RunRecord& record_;
  std::vector<double> needed_;
  std::vector<bool> buffers_;
  std::map<std::size_t, double> by_stage_;
  std::map<std::string, double> by_lane_;
};

}  // namespace

Blame walk_blame(const RunRecord& record) { return Walk{record}.run(); }

}  // namespace dflash
