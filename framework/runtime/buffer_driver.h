// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>

#include "framework/runtime/stage_driver.h"
#include "framework/telemetry/fill_meter.h"

namespace dflash {

/// Drives a Buffer by `put` and `pop`; both count as firings. Popping goes first, so that what is held moves on.
class BufferDriver final : public StageDriver {
 public:
  BufferDriver(const Graph::Vertex& vertex, RunState& run);

  void start(std::int64_t now) override;
  void finish(std::int64_t now, std::vector<EdgeRecord>& edges) override;
  /// From any thread while the stage fires: the buffer's row, without its stage.
  [[nodiscard]] LiveEdge live_content() const;
  /// What was held, without its stage; what still is, is given up `now`.
  [[nodiscard]] BufferTimeline content(std::int64_t now) const;

 private:
  struct Held {
    const void* payload;
    std::int64_t since;
    std::int64_t put;  // the firing
    std::int64_t seq;
    std::int64_t bytes;
  };

  bool work() override;
  Enabler missing() override;
  void put(const Enabler& last);
  void pop(const Enabler& last);
  /// One put or pop between two stamps, its failure caught.
  template <class Body>
  void measured(const Enabler& last, const char* doing, Body body);
  void measure_fill(std::int64_t now);
  void tell_content();
  void forget(const void* payload, std::int64_t now);

  Buffer* buffer_;
  bool input_ended_ = false;
  std::deque<Held> held_;  // in order of arrival, to know how long each stayed
  EdgeRecord row_;
  FillMeter fill_;
  Recent<ItemEvent> events_;
  std::int64_t started_ = 0;
  std::int64_t capacity_ = 0;
  std::atomic<std::int64_t> live_fill_{0};  // both written by the runner, after each firing
  std::atomic<std::int64_t> live_items_{0};
};

}  // namespace dflash
