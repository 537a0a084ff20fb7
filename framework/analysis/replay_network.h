// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "framework/analysis/pipeline_model.h"
#include "framework/analysis/replay_edge.h"
#include "framework/analysis/replay_stage.h"

namespace dflash {

/// A firing that may begin.
struct ReplayStart {
  ReplayTicket::What what = ReplayTicket::What::kFire;
  const FiringWork* work = nullptr;
  bool is_under_way = false;  // since before the replay: it waits for nothing and takes nothing
  Enabler last;
};

/// The stages and edges of a replay and the rules between them, at one moment at a time. Who wakes whom: an item on an
/// edge its consumer, a place on an edge its producer, the end of a stream its consumer.
class ReplayNetwork {
 public:
  explicit ReplayNetwork(const PipelineModel& model);

  [[nodiscard]] std::deque<ReplayStage>& stages() { return stages_; }
  [[nodiscard]] std::deque<ReplayEdge>& edges() { return edges_; }

  void wake(std::size_t i);
  void wake_all();
  /// The stage that was woken longest ago.
  [[nodiscard]] std::optional<std::size_t> next_woken();

  /// Sends what is held, then what the first firing has emitted. True where a firing was sent off.
  bool deliver(std::size_t i, std::int64_t now);
  /// Nothing where anything is missing.
  [[nodiscard]] std::optional<ReplayStart> next_start(std::size_t i, std::int64_t now) const;
  /// Takes the inputs of a firing. Returns when the device has made all of them.
  std::int64_t take_inputs(std::size_t i, const ReplayTicket& ticket, std::int64_t now);
  /// A device has done with a firing's inputs.
  void free_places(std::size_t i, std::int64_t now);
  /// Whether no firing can follow. What still comes on other inputs then is lost.
  [[nodiscard]] bool has_no_more(std::size_t i, std::int64_t now);
  /// The stage has ended by itself.
  void end_outputs(std::size_t i, std::int64_t now);
  /// The steps are done, and the stage is needed no more.
  void halt(std::size_t i, std::int64_t now);

 private:
  void flush(std::size_t i, std::size_t output, std::int64_t now);
  /// ReplayStage::kNotYet: what makes it has not begun.
  [[nodiscard]] std::int64_t made_at(const MadeBy& made) const;
  [[nodiscard]] bool look_at_inputs(const ReplayStage& stage, std::int64_t now, Enabler& last) const;
  [[nodiscard]] bool has_credit(const ReplayStage& stage, Enabler& last) const;
  [[nodiscard]] std::optional<ReplayStart> next_of_buffer(const ReplayStage& stage) const;

  const PipelineModel* model_;
  std::deque<ReplayEdge> edges_;
  std::deque<ReplayStage> stages_;
  std::deque<std::size_t> woken_;
  std::vector<bool> is_woken_;
};

}  // namespace dflash
