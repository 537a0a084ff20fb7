// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/pipeline_replay.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "framework/analysis/replay_lanes.h"
#include "framework/analysis/replay_network.h"
#include "framework/report/sound_timeline.h"

namespace dflash {
namespace {

/// A woken stage does all that it can (`advance`), which takes no time; what takes time comes back as an event.
class Replay {
 public:
  explicit Replay(const PipelineModel& model) : model_{model}, network_{model}, lanes_{model} {}

  Replayed run() {
    network_.wake_all();
    settle();
    // A circle of stages that take no time would go on for ever, one that repeats much for longer than can be summed.
    for (std::int64_t left = most_events(); !events_.empty() && events_.top().at <= kMostTimeNs && left > 0; --left) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.at;
      handle(event);
      settle();
    }
    return result();
  }

 private:
  enum class What { kBegin, kFired, kDeviceDone };
  struct Event {
    std::int64_t at = 0;
    std::int64_t order = 0;
    What what = What::kBegin;
    std::size_t stage = 0;
    FiringEvent firing;  // kFired
    DeviceEvent on_device;
    bool operator>(const Event& other) const { return std::pair{at, order} > std::pair{other.at, other.order}; }
  };

  [[nodiscard]] std::int64_t most_events() const {
    constexpr std::int64_t kAtLeast = 1'000'000;
    constexpr std::int64_t kTimesRecorded = 30;
    std::int64_t recorded = 0;
    for (const ModelStage& stage : model_.stages) {
      recorded += std::ssize(stage.firings) + std::ssize(stage.pops);
    }
    return kAtLeast + kTimesRecorded * recorded;
  }

  void settle() {
    while (const auto woken = network_.next_woken()) {
      while (advance(*woken)) {
      }
    }
  }

  void expect(Event event) {
    event.order = order_++;
    events_.push(event);
  }

  void handle(const Event& event) {
    ReplayStage& stage = network_.stages()[event.stage];
    if (event.what == What::kBegin) {
      stage.is_starting = false;
      network_.wake(event.stage);
      return;
    }
    wall_ns_ = now_;
    if (event.what == What::kFired) {
      fired(event.stage, event.firing);
      return;
    }
    stage.note_device(event.on_device, now_);
    network_.free_places(event.stage, now_);
    network_.wake_all();
  }

  /// One thing that the stage can do now. False: there is none until somebody wakes it.
  bool advance(std::size_t i) {
    ReplayStage& stage = network_.stages()[i];
    if (stage.has_ended) {
      return false;
    }
    if (is_finishing_ && !stage.model->is_after_steps) {
      halt(i);
      return false;
    }
    if (network_.deliver(i, now_)) {
      return true;
    }
    if (stage.is_holding() || stage.is_starting) {
      return false;
    }
    if (stage.is_draining) {
      if (stage.tickets.empty()) {
        network_.end_outputs(i, now_);
      }
      return false;
    }
    if (const auto start = network_.next_start(i, now_)) {
      return try_begin(i, *start);
    }
    if (network_.has_no_more(i, now_)) {
      drain(i);
    }
    return false;
  }

  /// What the step stage has emitted still leaves.
  void halt(std::size_t i) {
    ReplayStage& stage = network_.stages()[i];
    if (!stage.is_quiet()) {
      return;
    }
    if (i == model_.step_stage) {
      while (network_.deliver(i, now_)) {
      }
      if (stage.is_holding()) {
        return;
      }
    }
    network_.halt(i, now_);
  }

  bool try_begin(std::size_t i, const ReplayStart& start) {
    ReplayStage& stage = network_.stages()[i];
    ReplaySlot& slot = *next_slot(stage.slots, &ReplaySlot::queued);
    const std::int64_t ready = start.last.complete_at();
    const std::int64_t dispatch = start.is_under_way ? 0 : stage.dispatch_of(*start.work, slot, ready);
    // The driver of several slots takes the inputs before it hands the firing to one of them.
    const bool takes_first = stage.slots.size() > 1;
    const std::int64_t at = start.is_under_way || takes_first ? now_ : std::max(slot.free_since, ready) + dispatch;
    if (at > now_) {
      stage.is_starting = true;
      expect({.at = at, .what = What::kBegin, .stage = i});
      return false;
    }
    if (!lanes_.take(i)) {
      stage.is_starting = true;
      return false;
    }
    begin(i, slot, start, takes_first ? dispatch : 0);
    return true;
  }

  void begin(std::size_t i, ReplaySlot& slot, const ReplayStart& start, std::int64_t later) {
    ReplayStage& stage = network_.stages()[i];
    ReplayTicket& ticket = stage.tickets.emplace_back();
    ticket.what = start.what;
    ticket.work = start.work;
    ticket.number = ++stage.numbers;
    FiringEvent firing = stage.begin_busy(slot, start.last, now_ + later);
    firing.number = ticket.number;
    std::int64_t made = now_;
    if (start.what == ReplayTicket::What::kPop) {
      stage.begin_pop(ticket, start.is_under_way, now_);
    } else {
      ticket.place = stage.fires_begun++;
      made = start.is_under_way ? now_ : std::max(now_, network_.take_inputs(i, ticket, now_));
    }
    firing.between = start.work->between_ns;
    firing.end = std::max(firing.begin, stage.model->waits_in_firing ? made : 0) + stage.scaled(start.work->host_ns) +
                 firing.between;
    expect({.at = firing.end, .what = What::kFired, .stage = i, .firing = firing});
    if (start.work->is_on_device) {
      const DeviceEvent done = stage.queue_on_device(slot, ticket, firing, made);
      expect({.at = done.seen, .what = What::kDeviceDone, .stage = i, .on_device = done});
    }
  }

  void drain(std::size_t i) {
    ReplayStage& stage = network_.stages()[i];
    stage.is_draining = true;
    ReplayTicket& ticket = stage.tickets.emplace_back();
    ticket.work = &stage.model->drain;
    FiringEvent firing = stage.begin_busy(stage.slots.front(), stage.flushed, now_);
    firing.between = ticket.work->between_ns;
    firing.end = now_ + stage.scaled(ticket.work->host_ns) + firing.between;
    expect({.at = firing.end, .what = What::kFired, .stage = i, .firing = firing});
  }

  void fired(std::size_t i, const FiringEvent& firing) {
    ReplayStage& stage = network_.stages()[i];
    const ReplayTicket& ticket = stage.end_busy(firing);
    if (ticket.work->step > 0) {
      steps_.push_back({.step = ticket.work->step, .at = now_});
      is_finishing_ = is_finishing_ || ticket.work->step == model_.last_step;
    }
    while (network_.deliver(i, now_)) {
    }
    if (firing.number > 0) {
      lanes_.give_back(i);
    }
    while (const auto next = lanes_.next_waiting(i)) {
      network_.stages()[*next].is_starting = false;
      while (advance(*next)) {
      }
    }
    if (is_finishing_) {
      network_.wake_all();
    }
    network_.wake(i);
  }

  Replayed result() {
    Replayed result{.has_finished = events_.empty()};
    result.timeline.wall_ns = wall_ns_;
    result.record.wall_ns = wall_ns_;
    for (std::size_t i = 0; i < model_.stages.size(); ++i) {
      ReplayStage& stage = network_.stages()[i];
      result.has_finished = result.has_finished && stage.has_ended;
      stage.finish(wall_ns_);
      result.record.stages.push_back(std::move(stage.record));
      result.timeline.stages.push_back(std::move(stage.timeline));
    }
    for (ReplayEdge& edge : network_.edges()) {
      edge.finish(wall_ns_);
      result.record.edges.push_back(edge.record(wall_ns_));
      result.timeline.edges.push_back(edge.timeline());
    }
    for (const ModelBuffer& buffer : model_.buffers) {
      std::vector<ItemEvent>& items = network_.stages()[buffer.stage].buffer_events;
      result.record.edges.push_back({.name = model_.stages[buffer.stage].name,
                                     .from_stage = buffer.stage,
                                     .to_stage = buffer.stage,
                                     .is_buffer = true,
                                     .capacity_items = buffer.capacity_items,
                                     .items = std::ssize(items),
                                     .abandoned = std::ranges::count(items, 0, &ItemEvent::to_firing)});
      result.timeline.buffers.push_back({.stage = buffer.stage,
                                         .capacity_items = buffer.capacity_items,
                                         .min_ready = buffer.min_ready,
                                         .items = std::move(items)});
    }
    result.timeline.lanes = model_.lanes;
    result.record.lanes = model_.lanes;
    result.record.steps = std::ssize(steps_);
    result.timeline.steps = std::move(steps_);
    if (model_.step_stage) {
      result.timeline.stages[*model_.step_stage].makes_steps = true;
    }
    return result;
  }

  const PipelineModel& model_;
  ReplayNetwork network_;
  ReplayLanes lanes_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<StepEvent> steps_;
  std::int64_t order_ = 0;
  std::int64_t now_ = 0;
  std::int64_t wall_ns_ = 0;
  bool is_finishing_ = false;
};

}  // namespace

Replayed replay(const PipelineModel& model) { return Replay{model}.run(); }

}  // namespace dflash
