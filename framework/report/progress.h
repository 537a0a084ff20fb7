// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "framework/core/run_log.h"

namespace dflash {

/// Where a run stands.
struct ProgressSample {
  double elapsed_s = 0.0;                 // since the first firing
  std::int64_t steps = 0;                 // completed, also before a resume
  std::int64_t first_step = 0;            // completed before this run: a resumed one
  std::int64_t total_steps = 0;           // 0: until the sources end
  WorkDone work{};                        // shown instead of steps where these have no total and it has a unit
  std::map<std::string, double> metrics;  // "tokens_per_s" and "loss" are shown
  std::string busiest_stage;              // in the last seconds; it need not be what limits the run
  double busiest_share = 0.0;
};

/// What the run is measured by: its steps, or where those are without a bound, the work of its data.
WorkDone extent_of(const ProgressSample& sample);

/// How long the rest of it will take, at the pace so far; nothing where that is not known, or nothing is left.
std::optional<double> seconds_left(const ProgressSample& sample);

/// "step 120/800 (15 %)  7.42K tok/s  loss 2.3141  left 1m32s  lately busiest: drafter 97 %", or "rows 512/7473 (7 %)"
/// for the steps. What is not known is left out.
std::string progress_text(const ProgressSample& sample);

enum class ProgressStyle {
  kNone,     // --quiet
  kLines,    // a line every 10 s and at each tenth of the steps: for logs
  kRewrite,  // one line that rewrites itself: for a terminal
};

/// Prints progress as it is told. Not safe from several threads.
class Progress {
 public:
  using Write = std::function<void(const std::string& text)>;

  /// `columns`: width of the terminal, for `kRewrite`.
  Progress(ProgressStyle style, Write write, std::size_t columns = 120);

  void update(const ProgressSample& sample);
  /// Shows what the run does in place of steps, for `elapsed_s` seconds now: on the rewriting line, or as a line every
  /// 10 s.
  void busy(const std::string& activity, double elapsed_s);
  /// It does so no longer.
  void idle();
  /// Prints a line of its own without breaking the rewriting one.
  void say(const std::string& line);
  /// Ends the rewriting line, with the newest state on it.
  void finish(const ProgressSample& sample);

 private:
  void rewrite(const std::string& line);
  [[nodiscard]] bool line_is_due(const ProgressSample& sample) const;

  ProgressStyle style_;
  Write write_;
  std::size_t columns_;
  std::size_t shown_ = 0;  // columns of the line that stands
  double last_line_s_ = 0.0;
  double last_busy_s_ = 0.0;
  std::int64_t last_line_done_ = -1;
};

}  // namespace dflash
