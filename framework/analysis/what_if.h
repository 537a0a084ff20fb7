// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/analysis/pipeline_model.h"
#include "framework/core/json.h"
#include "framework/report/verdict.h"

namespace dflash {

/// What a user asks about a run.
struct Change {
  enum class Kind { kSpeedup, kCapacity, kReplicas };
  Kind kind = Kind::kSpeedup;
  std::string name;  // of a stage; for a capacity of an edge or a buffer
  double value = 1.0;
};

/// Reads "drafter=1.5", "pack.batches->queue.in=8", "target=2". Throws UserError.
[[nodiscard]] Change parse_change(Change::Kind kind, std::string_view text);

/// Changes the model. Throws UserError where there is no such stage or edge, or the engine could not run it.
void apply(const Change& change, PipelineModel& model);

struct WhatIf {
  std::vector<std::string> changes;  // in words
  double baseline_error = 0.0;
  std::int64_t wall_ns = 0;            // recorded, of the whole run
  std::int64_t predicted_wall_ns = 0;  // as many times the recorded one as the replay says
  std::int64_t replayed_since_ns = 0;  // in the run; 0: from its beginning
  std::int64_t replayed_ns = 0;        // of the unchanged run
  std::int64_t changed_ns = 0;         // of the changed one
  Verdict verdict;                     // on the changed run
  std::vector<std::string> notes{};    // what the replay does not know of this run, a sentence each
};

/// Replays the recorded run as it was, and with the changes. Throws UserError where the first is too far from what was
/// recorded (see baseline.h), or the second stands still or has more work than can be summed.
[[nodiscard]] WhatIf what_if(const Timeline& timeline, const std::vector<Change>& changes);

/// Throws UserError where two changes are of one kind and of one stage, edge or buffer.
void require_single(const std::vector<Change>& changes);

/// For people, and for programs: {baseline_error, wall_s, predicted_wall_s, speedup, verdict, ...}, where `speedup` is
/// how many times as fast the changed run is: above 1, it is faster.
[[nodiscard]] std::string what_if_text(const WhatIf& result);
[[nodiscard]] Json what_if_json(const WhatIf& result);

}  // namespace dflash
