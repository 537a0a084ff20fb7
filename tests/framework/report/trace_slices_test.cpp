// SPDX-License-Identifier: Apache-2.0
#include "framework/report/trace_slices.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace dflash {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> told(const std::vector<TraceSlice>& slices) {
  std::vector<std::string> lines;
  for (const TraceSlice& slice : slices) {
    const std::string part = slice.name == TraceSlice::kFiring ? "" : fmt::format(" part {}", slice.name);
    lines.push_back(fmt::format("{}/{}{}: {} to {}", slice.slot, slice.number, part, slice.begin, slice.end));
  }
  return lines;
}

TEST(TraceSlices, PartsFollowTheirFiring) {
  const auto slices = trace_slices({{.number = 2, .begin = 50, .end = 90}, {.number = 1, .begin = 0, .end = 40}},
                                   {{.number = 1, .name = 1, .begin = 12, .end = 20},
                                    {.number = 1, .name = 0, .begin = 10, .end = 30},
                                    {.number = 2, .name = 0, .begin = 50, .end = 90},
                                    {.number = 1, .name = 2, .begin = 30, .end = 40},
                                    {.number = 7, .name = 2, .begin = 30, .end = 40}});
  EXPECT_THAT(told(slices), ElementsAre("0/1: 0 to 40", "0/1 part 0: 10 to 30", "0/1 part 1: 12 to 20",
                                        "0/1 part 2: 30 to 40", "0/2: 50 to 90", "0/2 part 0: 50 to 90"));
}

TEST(TraceSlices, SlotsAreTracksOfTheirOwn) {
  const auto slices =
      trace_slices({{.number = 1, .slot = 1, .begin = 0, .end = 40}, {.number = 2, .slot = 0, .begin = 20, .end = 60}},
                   {{.number = 1, .slot = 1, .name = 0, .begin = 5, .end = 9}});
  EXPECT_THAT(told(slices), ElementsAre("0/2: 20 to 60", "1/1: 0 to 40", "1/1 part 0: 5 to 9"));
}

TEST(TraceSlices, WhatOverlapsALittleIsCut) {
  const auto slices = trace_slices({{.number = 1, .begin = 0, .end = 40}, {.number = 2, .begin = 38, .end = 60}},
                                   {{.number = 1, .name = 0, .begin = -2, .end = 20},
                                    {.number = 1, .name = 1, .begin = 19, .end = 45},
                                    {.number = 2, .name = 0, .begin = 30, .end = 35}});
  EXPECT_THAT(told(slices),
              ElementsAre("0/1: 0 to 40", "0/1 part 0: 0 to 20", "0/1 part 1: 19 to 20", "0/2: 40 to 60"));
}

/// As Perfetto reads a track: a slice lies in the one that is open, or begins when it has ended.
void expect_nested(const std::vector<TraceSlice>& slices) {
  std::vector<TraceSlice> open;
  for (const TraceSlice& slice : slices) {
    RC_ASSERT(slice.begin <= slice.end);
    while (!open.empty() && (open.back().slot != slice.slot || open.back().end <= slice.begin)) {
      open.pop_back();
    }
    RC_ASSERT((open.empty() || slice.end <= open.back().end));
    RC_ASSERT((open.empty() || slice.begin >= open.back().begin));
    RC_ASSERT((open.empty() || slice.name != TraceSlice::kFiring));
    open.push_back(slice);
  }
}

RC_GTEST_PROP(TraceSlices, NestWhateverTheClocksSay, ()) {
  const auto time = [] { return *rc::gen::inRange<std::int64_t>(0, 60); };
  std::vector<TraceSlice> firings;
  std::vector<SpanEvent> spans;
  for (int i = *rc::gen::inRange(0, 8); i > 0; --i) {
    firings.push_back({.number = i, .slot = *rc::gen::inRange<std::int64_t>(0, 2), .begin = time(), .end = time()});
  }
  for (int i = *rc::gen::inRange(0, 16); i > 0; --i) {
    spans.push_back({.number = *rc::gen::inRange<std::int64_t>(0, 8),
                     .slot = *rc::gen::inRange<std::int64_t>(0, 2),
                     .name = i % 3,
                     .begin = time(),
                     .end = time()});
  }
  expect_nested(trace_slices(firings, spans));
}

}  // namespace
}  // namespace dflash
