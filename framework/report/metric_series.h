// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "framework/core/json.h"

namespace dflash {

/// One figure of metrics.jsonl over the steps. Where there are many lines, each point stands for some of them.
struct MetricSeries {
  struct Point {
    std::int64_t step = 0;                                   // the last of the point's
    double mean = std::numeric_limits<double>::quiet_NaN();  // no finite value
    double least = mean;
    double greatest = mean;
    std::int64_t not_finite = 0;  // lines whose value is no number
  };
  std::string name;            // "loss"; of an object inside a line "phase_s.forward"
  bool of_evaluation = false;  // from lines with "event": "evaluation", else from those of steps
  std::vector<Point> points;
};

/// All figures, in the order in which they come first. Lines without a whole "step" are passed over, and so is what is
/// no number.
std::vector<MetricSeries> metric_series(const std::vector<Json>& lines, std::size_t most);

}  // namespace dflash
