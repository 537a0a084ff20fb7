// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/runtime/stage_driver.h"

namespace dflash {

/// Drives a stage by `fire`: one item of every input, room on every output.
class FiringDriver : public StageDriver {
 public:
  using StageDriver::StageDriver;

 protected:
  enum class Inputs { kReady, kMissing, kEnded };

  bool work() override;
  Enabler missing() override;
  [[nodiscard]] Inputs look_at_inputs(Enabler& last);
  [[nodiscard]] bool finish_inputs();

 private:
  void fire(const Enabler& last);
};

}  // namespace dflash
