// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "framework/report/live_run.h"

namespace dflash {

/// What a scrape of Prometheus reads, in its text format 0.0.4. Times are in seconds, memory in bytes; counters end in
/// `_total`; stages, edges and devices are labels. A metric of the run ("tokens_per_s") is a gauge under a name of its
/// own (`metric_name`).
[[nodiscard]] std::string prometheus_text(const LiveRun& run);

/// "dflash_metric_tokens_per_second": what names may not have is an underscore, and a unit at the end is spelled out.
[[nodiscard]] std::string metric_name(std::string_view name);

}  // namespace dflash
