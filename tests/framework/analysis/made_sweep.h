// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "framework/analysis/sweep_result.h"
#include "tests/framework/analysis/made_records.h"

namespace dflash {

/// Three rounds, the first slower by `spread` (a share), the second faster.
inline SweepRow row(const std::string& name, double step_ns, double spread = 0.001, double loss_factor = 1.0) {
  SweepRow row{.variant = {.name = name, .sets = {"sink.mode=" + name}}};
  for (std::int64_t round = 1; round <= 3; ++round) {
    const double luck = 1.0 + (round == 1 ? spread : round == 2 ? -spread : 0.0);
    const MadeRun run{.step_ns = static_cast<std::int64_t>(step_ns * luck), .loss_factor = loss_factor};
    row.runs.push_back({.round = round,
                        .run_dir = name + "-" + std::to_string(round),
                        .text = {},
                        .progress = progress_of(run.records())});
  }
  return row;
}

inline SweepResult judged(std::vector<SweepRow> rows) {
  SweepResult result{.rows = std::move(rows), .first = {}, .fastest = {}, .best = {}, .sentence = {}};
  judge(result);
  return result;
}

inline SweepRow failed(const std::string& name) {
  SweepRow row{.variant = {.name = name}};
  row.runs.push_back({.round = 1, .run_dir = name + "-1", .code = 1, .text = "error: out of luck"});
  return row;
}

}  // namespace dflash
