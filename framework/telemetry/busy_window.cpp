// SPDX-License-Identifier: Apache-2.0
#include "framework/telemetry/busy_window.h"

namespace dflash {

BusiestStage BusyWindow::add(const LiveView& view) {
  looks_.push_back(view);
  while (looks_.front().wall_ns + kLengthNs < view.wall_ns) {
    looks_.pop_front();
  }
  const bool is_all_there_is = looks_.front().wall_ns == view.wall_ns || view.wall_ns <= kLengthNs;
  return busiest_stage(is_all_there_is ? LiveView{} : looks_.front(), view);
}

}  // namespace dflash
