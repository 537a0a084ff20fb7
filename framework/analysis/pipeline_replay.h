// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/analysis/pipeline_model.h"
#include "framework/telemetry/run_record.h"
#include "framework/telemetry/timeline.h"

namespace dflash {

/// A run as it would have gone.
struct Replayed {
  Timeline timeline;
  RunRecord record;          // with as much of its accounts as a verdict needs
  bool has_finished = true;  // false: it stood still before its steps were done, or its streams had ended
};

/// Plays a model through, by the rules of the engine (framework/runtime), on virtual time:
///
/// - A firing begins once a slot is free, everything emitted before has left, every input has an item that the device
///   has made (a stage on a device leaves that to its stream), every output edge that blocks has room, and a worker of
///   its lane is free.
/// - It gives its items at its end, in order of the firings; what finds no room then is held, and holds the stage up.
/// - On a device: the host only launches; the work runs in the slot's stream after what makes its inputs. The places of
///   its inputs are free, and consumers on the host see its outputs, when it is done. Two firings a slot may be queued.
/// - A buffer takes while it has room and gives while it has min_ready.
/// - The run ends when the last step is done: what lies behind the step stage goes on to its end.
///
/// Streams of one device run beside each other as they were recorded; so do bodies on the processor's cores.
[[nodiscard]] Replayed replay(const PipelineModel& model);

}  // namespace dflash
