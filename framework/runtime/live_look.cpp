// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/live_look.h"

namespace dflash {

LiveView live_look(RunNetwork& network, RunDevices& devices, const RunState& state) {
  LiveView view{.steps = state.steps()};
  if (!state.instrument()) {
    return view;
  }
  const std::int64_t now = state.now();
  view.wall_ns = now - network.started_at();
  network.write(view, now);
  view.devices = devices.live();
  find_lacks(view);
  return view;
}

}  // namespace dflash
