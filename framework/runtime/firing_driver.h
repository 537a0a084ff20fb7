// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/runtime/stage_driver.h"

namespace dflash {

/// Drives a stage by `fire`: one item of every input, room on every output.
class FiringDriver : public StageDriver {
 public:
  using StageDriver::StageDriver;

 protected:
  bool work() override;
  Enabler missing() override;
  /// All that one input's end brings: true where something was done.
  [[nodiscard]] virtual bool finish_inputs();
  /// Another firing may begin as far as the stage's own slots are concerned.
  [[nodiscard]] virtual bool has_slot(Enabler& last);
  /// One firing, with its inputs there and room on every output.
  virtual void fire(const Enabler& last);

 private:
  /// `kMaking`: the device has not made one of them yet.
  enum class Inputs { kReady, kMissing, kMaking, kEnded };

  [[nodiscard]] Inputs look_at_inputs(Enabler& last);
  /// The device has made the input; where not, the stage is woken once it has.
  [[nodiscard]] bool is_made(std::size_t input, const std::shared_ptr<Completion>& ready);
  /// The stage reads payloads on the host, so the device must have made them before it fires.
  [[nodiscard]] bool needs_payloads() const { return device_slots_.empty() && !waits_in_firing_; }

  /// A stage on its producer's lane is in its way, and waits for the device there.
  const bool waits_in_firing_ = vertex().stage->shares_producers_lane();
  std::vector<std::shared_ptr<Completion>> making_;  // by input: whose end wakes us
};

}  // namespace dflash
