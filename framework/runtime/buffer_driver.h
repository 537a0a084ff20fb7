// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "framework/runtime/fill_meter.h"
#include "framework/runtime/stage_driver.h"

namespace dflash {

/// Drives a Buffer by `put` and `pop`; both count as firings. Popping goes first, so that what is held moves on.
class BufferDriver final : public StageDriver {
 public:
  BufferDriver(const Graph::Vertex& vertex, RunState& run);

  void start(std::int64_t now) override;
  void finish(std::int64_t now, std::vector<EdgeRecord>& edges) override;
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
  void forget(const void* payload, std::int64_t now);

  Buffer* buffer_;
  bool input_ended_ = false;
  std::deque<Held> held_;  // in order of arrival, to know how long each stayed
  EdgeRecord row_;
  FillMeter fill_;
  Recent<ItemEvent> events_;
  std::int64_t started_ = 0;
};

}  // namespace dflash
