// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "framework/core/json.h"
#include "framework/telemetry/run_record.h"

namespace dflash {

enum class VerdictKind : std::uint8_t {
  kNone,          // nothing has fired
  kCpuBody,       // a stage's body on the host
  kGpuSpan,       // a stage's work on its device
  kLaunch,        // a body that queues work on a device more slowly than the device does it
  kBetweenSteps,  // what is due between a stage's steps: evaluation, checkpoint
  kSource,        // a stage without inputs
  kLane,          // stages that were ready waited for its workers
  kCapacity,      // of an edge that bursts do not fit
  kBalanced,      // nothing stands out; the largest cause is named all the same
};

/// As programs read it: "none", "cpu body", "gpu span", "launch", "between steps", "source", "lane", "capacity",
/// "balanced".
[[nodiscard]] const char* kind_name(VerdictKind kind);

/// What limits a run, as a sentence and as fields for programs.
struct Verdict {
  std::string text;
  std::string stage;  // the culprit: a stage, a lane (also where it is the largest cause of "balanced"), or an edge
  VerdictKind kind = VerdictKind::kNone;
  double share = 0.0;  // of all waiting, 0 to 1
};

/// Judges by the blame walk and the throughput bound.
[[nodiscard]] Verdict judge(const RunRecord& record);

/// {"text": ..., "stage": ..., "kind": ..., "share": ...}
[[nodiscard]] Json verdict_json(const Verdict& verdict);

}  // namespace dflash
