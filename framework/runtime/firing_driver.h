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
  /// One firing, with its inputs there and room on every output.
  virtual void fire(const Enabler& last);

 private:
  enum class Inputs { kReady, kMissing, kEnded };

  [[nodiscard]] Inputs look_at_inputs(Enabler& last);
};

}  // namespace dflash
