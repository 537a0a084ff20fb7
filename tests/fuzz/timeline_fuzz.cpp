// SPDX-License-Identifier: Apache-2.0
// A run's timeline.json: what is read is what comes back when it is written, and what looks at it does not stumble.
#include <sstream>

#include <nlohmann/json.hpp>

#include "framework/analysis/stage_gains.h"
#include "framework/core/json_syntax.h"
#include "framework/report/path_latency.h"
#include "framework/report/step_breakdown.h"
#include "framework/report/timeline_json.h"
#include "framework/report/trace_json.h"
#include "tests/fuzz/fuzz_target.h"

namespace dflash {
namespace {

void read_and_look(const std::string& text) {
  const Timeline timeline = read_timeline(parse_or_discard(text), "timeline.json");
  const Json written = timeline_json(timeline);
  DFLASH_CHECK(timeline_json(read_timeline(written, "timeline.json")) == written, "a timeline comes back as another");
  (void)path_latencies(timeline);
  (void)stage_gains(timeline);
  std::ostringstream trace;
  (void)write_trace(timeline, "fuzz", trace);
  (void)step_breakdown(timeline, 100);
}

}  // namespace
}  // namespace dflash

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = dflash::pieces_of(data, size, 1).front();
  dflash::read_or_refuse([&] { dflash::read_and_look(text); });
  return 0;
}
