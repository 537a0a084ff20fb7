// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/graph.h"
#include "framework/runtime/device_slot.h"
#include "framework/runtime/origin.h"
#include "framework/runtime/run_state.h"
#include "framework/telemetry/run_record.h"

namespace dflash {

/// The right to run one firing of a stage, and the Firing that the body sees. Holds the inputs of the firing and keeps
/// what is emitted until the driver commits it. Used again for each firing.
class FiringSlot final : public Firing {
 public:
  /// The span that the runtime adds where something is due between steps.
  static constexpr std::string_view kBetweenSteps = "between steps";

  FiringSlot(const Graph::Vertex& vertex, RunState& run, OriginTracker& origins);

  /// Where the stage works; null: on the host.
  void use(DeviceSlot* device) { device_ = device; }

  /// Before `begin`.
  void set_input(std::size_t index, Item item) { inputs_[index] = std::move(item); }
  void begin(std::int64_t number, bool is_drain);
  /// Forgets the inputs, and what was emitted where the firing failed.
  void finish(bool failed);

  [[nodiscard]] std::vector<StagedItem>& staged() { return staged_; }
  [[nodiscard]] bool stream_ended() const { return stream_ended_; }
  /// Next sequence number of each output, as of the last commit; the driver counts it on.
  [[nodiscard]] std::vector<std::int64_t>& next_seq() { return next_seq_; }
  /// The step that is complete but for what is done between steps, which waits until the run has settled; 0: none.
  [[nodiscard]] std::int64_t due_step() const { return due_step_; }
  void complete_due_step();
  /// A part of the firing that the stage's body did not name.
  void note_span(std::string_view name, std::int64_t begin, std::int64_t end);
  /// Adds spans and counters to the stage's.
  void add_to(StageRecord& record) const;
  void add_to(StageTimeline& timeline, std::int64_t slot) const;

  /// An input stands for a skipped firing, so this one cannot be.
  [[nodiscard]] bool has_tombstone() const;
  /// Gives nothing but a tombstone on each output.
  void stage_tombstones();
  /// Before the body: keeps the inputs, so that it may be tried again.
  void keep_inputs();
  /// The body failed: everything is as before it.
  void rewind();

  Item take_item(const InputPort& port) override;
  void emit_item(const OutputPort& port, Item item) override;
  std::int64_t number() const override { return number_; }
  void end_of_stream() override;
  bool stop_requested() const override { return run_->is_stopping(); }
  void complete_step(std::int64_t step) override;
  void count(std::string_view name, std::int64_t amount) override;
  void begin_span(std::string_view name) override;
  void end_span() override;

 private:
  static constexpr std::size_t kMaxSpans = 16;  // that the stage names; `kBetweenSteps` is one more
  static constexpr std::size_t kMaxDepth = 32;

  struct OpenSpan {
    std::size_t span = 0;
    std::int64_t since = 0;
  };

  [[nodiscard]] std::size_t span_of(std::string_view name);
  void note(std::size_t span, std::int64_t begin, std::int64_t end);

  const Graph::Vertex* vertex_;
  RunState* run_;
  OriginTracker* origins_;
  std::int64_t number_ = 0;
  bool is_drain_ = false;
  bool stream_ended_ = false;
  std::int64_t due_step_ = 0;
  std::vector<Item> inputs_;
  std::vector<Item> kept_;  // the inputs once more, where the body may be tried again
  std::vector<StagedItem> staged_;
  std::vector<std::int64_t> next_seq_;
  DeviceSlot* device_ = nullptr;
  std::vector<SpanRecord> spans_;
  Recent<SpanEvent> span_events_;
  std::array<OpenSpan, kMaxDepth> open_spans_{};
  std::size_t depth_ = 0;
  std::map<std::string, std::int64_t, std::less<>> counters_;
};

}  // namespace dflash
