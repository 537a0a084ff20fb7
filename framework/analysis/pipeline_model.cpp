// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/pipeline_model.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "framework/analysis/firing_overheads.h"
#include "framework/telemetry/whole_since.h"

namespace dflash {
namespace {

/// Takes the logs apart. Its one rule for where the model begins: an item that was popped, a firing that ended at that
/// moment or later is part of it; what happened earlier is either inside an edge or under way.
class ModelBuilder {
 public:
  explicit ModelBuilder(const Timeline& timeline) : timeline_{timeline}, works_(timeline.stages.size()) {
    model_.begins_at_ns = whole_since(timeline);
    model_.wall_ns = std::max<std::int64_t>(timeline.wall_ns - model_.begins_at_ns, 0);
    model_.lanes = timeline.lanes;
  }

  PipelineModel build() {
    add_structure();
    add_firings();
    add_dispatch();
    add_emitted();
    add_taken();
    add_steps();
    number_works();
    add_inside();
    finish_stages();
    return std::move(model_);
  }

 private:
  using Works = std::map<std::int64_t, FiringWork>;  // by number of the firing

  void add_structure() {
    for (const StageTimeline& stage : timeline_.stages) {
      model_.stages.push_back({.name = stage.name,
                               .lane = stage.lane,
                               .device = stage.device,
                               .slots = std::max<std::int64_t>(stage.slots, 1)});
    }
    for (std::size_t e = 0; e < timeline_.edges.size(); ++e) {
      const EdgeTimeline& edge = timeline_.edges[e];
      model_.edges.push_back({.name = edge.name,
                              .from = edge.from_stage,
                              .to = edge.to_stage,
                              .capacity_items = edge.capacity_items,
                              .blocks = edge.blocks,
                              .is_feedback = edge.from_stage >= edge.to_stage,
                              .items = std::ssize(edge.items),
                              .largest_bytes = largest(edge.items),
                              .inside = {}});
      model_.stages[edge.from_stage].outputs.push_back(e);
      model_.stages[edge.to_stage].inputs.push_back(e);
    }
    for (const BufferTimeline& buffer : timeline_.buffers) {
      model_.buffers.push_back({.stage = buffer.stage,
                                .capacity_items = buffer.capacity_items,
                                .min_ready = buffer.min_ready,
                                .items = std::ssize(buffer.items),
                                .largest_bytes = largest(buffer.items)});
    }
  }

  static std::int64_t largest(const std::vector<ItemEvent>& items) {
    const auto found = std::ranges::max_element(items, {}, &ItemEvent::bytes);
    return found == items.end() ? 0 : found->bytes;
  }

  FiringWork& work(std::size_t stage, std::int64_t number) {
    FiringWork& work = number == 0 ? model_.stages[stage].drain : works_[stage][number];
    work.emitted.resize(model_.stages[stage].outputs.size());
    return work;
  }

  void add_firings() {
    for (std::size_t i = 0; i < timeline_.stages.size(); ++i) {
      for (const FiringEvent& firing : timeline_.stages[i].firings) {
        if (firing.end > begin() || firing.begin >= begin()) {
          FiringWork& on_host = work(i, firing.number);
          on_host.host_ns = std::max<std::int64_t>(firing.body_end() - std::max(firing.begin, begin()), 0);
          on_host.between_ns = firing.between > 0 ? firing.end - std::max(firing.body_end(), begin()) : 0;
        }
        model_.stages[i].ends = model_.stages[i].ends || firing.number == 0;
      }
      for (const DeviceEvent& firing : timeline_.stages[i].device_firings) {
        if (firing.end > begin() && firing.number > 0) {
          FiringWork& on_device = work(i, firing.number);
          on_device.device_ns = firing.end - std::max(firing.begin, begin());
          on_device.is_on_device = true;
          on_device.seen_after_ns = std::max<std::int64_t>(firing.seen - firing.end, 0);
          on_device.lag_ns = std::max<std::int64_t>(firing.lag, 0);
          on_device.host_ns = std::max<std::int64_t>(on_device.host_ns - std::max<std::int64_t>(firing.hidden, 0), 0);
        }
      }
    }
  }

  /// Whether the item lay inside when the model begins; there from the beginning: nobody has pushed it.
  [[nodiscard]] bool was_inside(const ItemEvent& item) const {
    const bool was_pushed = item.pushed < begin() || (item.pushed == begin() && item.from_firing == 0);
    return was_pushed && item.popped >= begin();
  }

  void add_emitted() {
    for (std::size_t i = 0; i < model_.stages.size(); ++i) {
      for (std::size_t output = 0; output < model_.stages[i].outputs.size(); ++output) {
        note_emitted(i, output, timeline_.edges[model_.stages[i].outputs[output]].items);
      }
    }
  }

  void note_emitted(std::size_t stage, std::size_t output, const std::vector<ItemEvent>& items) {
    for (const ItemEvent& item : items) {
      if (item.pushed >= begin() && !was_inside(item)) {
        ++work(stage, item.from_firing).emitted[output];
      }
    }
  }

  void add_taken() {
    for (const EdgeTimeline& edge : timeline_.edges) {
      note_taken(edge.to_stage, edge.items);
    }
    for (const BufferTimeline& buffer : timeline_.buffers) {
      note_taken(buffer.stage, buffer.items);
    }
  }

  void note_taken(std::size_t stage, const std::vector<ItemEvent>& items) {
    for (const ItemEvent& item : items) {
      if (item.to_firing > 0 && item.popped >= begin()) {
        work(stage, item.to_firing).has_inputs = true;
      }
    }
  }

  void add_steps() {
    const auto maker = std::ranges::find(timeline_.stages, true, &StageTimeline::makes_steps);
    if (maker == timeline_.stages.end() || timeline_.steps.empty()) {
      return;
    }
    const StageTimeline& stage = *maker;
    model_.step_stage = maker - timeline_.stages.begin();
    for (const StepEvent& step : timeline_.steps) {
      const auto firing = std::ranges::lower_bound(stage.firings, step.at, {}, &FiringEvent::end);
      if (firing != stage.firings.end() && firing->end > begin()) {
        work(*model_.step_stage, firing->number).step = step.step;
      }
    }
    // A step stage that has drained has seen the end of its inputs, so the steps did not end the run.
    model_.last_step = model_.stages[*model_.step_stage].ends ? 0 : timeline_.steps.back().step;
  }

  /// On a lane that is short of workers, waiting for one is what the replay finds out.
  void add_dispatch() {
    for (std::size_t i = 0; i < model_.stages.size(); ++i) {
      ModelStage& stage = model_.stages[i];
      if (model_.scarce_workers(stage.lane) > 0) {
        continue;
      }
      const FiringOverheads overheads = overheads_of(timeline_.stages[i], begin());
      stage.wake_ns = overheads.wake_ns;
      stage.turn_ns = overheads.turn_ns;
      for (const FiringEvent& firing : timeline_.stages[i].firings) {
        // Of several slots' firings it is not known what they waited for beside their inputs: their turn to be sent.
        if (stage.slots == 1 && firing.begin >= begin() && firing.number > 0) {
          FiringWork& dispatched = work(i, firing.number);
          dispatched.has_waited = firing.ready > firing.free;
          dispatched.dispatch_ns = firing.begin - firing.ready;
        }
      }
    }
  }

  void number_works() {
    std::vector<std::set<std::int64_t>> pops(model_.stages.size());
    for (const BufferTimeline& buffer : timeline_.buffers) {
      for (const ItemEvent& item : buffer.items) {
        pops[buffer.stage].insert(item.to_firing);
      }
    }
    places_.resize(model_.stages.size());
    for (std::size_t i = 0; i < model_.stages.size(); ++i) {
      ModelStage& stage = model_.stages[i];
      for (auto& [number, work] : works_[i]) {
        places_[i][number] = stage.firings.size();
        (pops[i].contains(number) ? stage.pops : stage.firings).push_back(std::move(work));
      }
    }
  }

  void add_inside() {
    for (std::size_t e = 0; e < model_.edges.size(); ++e) {
      ModelEdge& edge = model_.edges[e];
      for (const ItemEvent& item : timeline_.edges[e].items) {
        if (was_inside(item)) {
          const auto maker = places_[edge.from].find(item.from_firing);
          const bool is_known = maker != places_[edge.from].end() && model_.buffer_of(edge.from) == nullptr;
          edge.inside.push_back(is_known ? maker->second : kNoFiring);
        }
      }
    }
    for (std::size_t b = 0; b < model_.buffers.size(); ++b) {
      model_.buffers[b].inside =
          std::ranges::count_if(timeline_.buffers[b].items, [this](const ItemEvent& item) { return was_inside(item); });
    }
  }

  void finish_stages() {
    for (std::size_t i = 0; i < model_.stages.size(); ++i) {
      ModelStage& stage = model_.stages[i];
      stage.drain.emitted.resize(stage.outputs.size());
      stage.ends = stage.ends || model_.last_step == 0;
      leave_out_waiting(i);
    }
    find_what_follows_steps();
  }

  /// Stages stand in topological order.
  void find_what_follows_steps() {
    for (std::size_t i = 0; i < model_.stages.size(); ++i) {
      const bool is_followed = model_.step_stage == i || model_.stages[i].is_after_steps;
      for (const std::size_t e : model_.stages[i].outputs) {
        model_.stages[model_.edges[e].to].is_after_steps |= is_followed && !model_.edges[e].is_feedback;
      }
    }
  }

  /// A stage on the lane of the stage that makes its input on a device waits there, within its firing, for the device.
  void leave_out_waiting(std::size_t i) {
    ModelStage& stage = model_.stages[i];
    if (!stage.device.empty() || stage.inputs.empty() || model_.buffer_of(i) != nullptr) {
      return;
    }
    const ModelEdge& edge = model_.edges[stage.inputs.front()];
    if (model_.stages[edge.from].device.empty() || model_.stages[edge.from].lane != stage.lane) {
      return;
    }
    std::map<std::int64_t, std::int64_t> made;  // by number of the producer's firing
    for (const DeviceEvent& firing : timeline_.stages[edge.from].device_firings) {
      made[firing.number] = firing.end;
    }
    std::map<std::int64_t, std::int64_t> made_for;  // by number of this stage's firing
    for (const ItemEvent& item : timeline_.edges[stage.inputs.front()].items) {
      made_for[item.to_firing] = made.contains(item.from_firing) ? made[item.from_firing] : 0;
    }
    for (const FiringEvent& firing : timeline_.stages[i].firings) {
      const std::int64_t until = std::min(made_for[firing.number], firing.body_end());
      const std::int64_t waited = until - std::max(firing.begin, begin());
      const auto place = places_[i].find(firing.number);
      if (firing.number > 0 && waited > 0 && place != places_[i].end()) {
        stage.waits_in_firing = true;
        stage.firings[place->second].host_ns -= waited;
      }
    }
  }

  [[nodiscard]] std::int64_t begin() const { return model_.begins_at_ns; }

  const Timeline& timeline_;
  PipelineModel model_;
  std::vector<Works> works_;                                 // by stage
  std::vector<std::map<std::int64_t, std::size_t>> places_;  // of firings by their numbers, by stage
};

}  // namespace

const ModelBuffer* PipelineModel::buffer_of(std::size_t stage) const {
  const auto found = std::ranges::find(buffers, stage, &ModelBuffer::stage);
  return found == buffers.end() ? nullptr : &*found;
}

std::int64_t PipelineModel::scarce_workers(const std::string& lane) const {
  const auto found = std::ranges::find(lanes, lane, &LaneRecord::name);
  std::int64_t wanted = 0;
  for (const ModelStage& stage : stages) {
    wanted += stage.lane == lane ? stage.slots : 0;
  }
  return found == lanes.end() || found->workers >= wanted ? 0 : std::max<std::int64_t>(found->workers, 1);
}

PipelineModel model_of(const Timeline& timeline) { return ModelBuilder{timeline}.build(); }

}  // namespace dflash
