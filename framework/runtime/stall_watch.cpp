// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/stall_watch.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "framework/core/exit_code.h"

namespace dflash {
namespace {

std::string seconds(std::int64_t ns) { return fmt::format("{:.3g} s", static_cast<double>(ns) / 1e9); }

}  // namespace

std::optional<Outcome> find_stall(RunNetwork& network, const RunState& run, const StallLimits& limits) {
  const std::int64_t now = run.now();
  const bool is_stopping = run.phase() == RunState::Phase::kStopping;
  for (const auto& driver : network.drivers()) {
    const LiveStage stage = driver->live(now);
    if (stage.firing_slots == 0 || (driver.get() == network.step_driver() && run.is_between_steps())) {
      continue;
    }
    const std::int64_t since = std::max(now - stage.longest_ns, run.between_steps_ended_at());
    const std::string& name = stage.name;
    if (limits.firing_ns > 0 && now - since >= limits.firing_ns) {
      return Outcome{
          .code = ExitCode::kStalled,
          .text = fmt::format("stall: stage '{}' has not returned from a firing for {}, the run's stall_timeout_s. {}",
                              name, seconds(limits.firing_ns), network.fill_text())};
    }
    const std::int64_t waited = now - run.left_running_at();
    const bool is_source = driver->stage().inputs().empty();
    if (is_stopping && is_source && limits.source_after_stop_ns > 0 && waited >= limits.source_after_stop_ns) {
      return Outcome{.code = ExitCode::kInterrupted,
                     .text = fmt::format("interrupted: source '{}' has not returned {} after it was asked to stop; "
                                         "ended without it",
                                         name, seconds(waited))};
    }
  }
  return std::nullopt;
}

}  // namespace dflash
