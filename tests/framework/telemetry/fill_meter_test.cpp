// SPDX-License-Identifier: Apache-2.0
#include "framework/telemetry/fill_meter.h"

#include <gtest/gtest.h>

namespace dflash {
namespace {

EdgeRecord record_of(const FillMeter& meter, std::int64_t wall_ns) {
  EdgeRecord record;
  meter.write(record, wall_ns);
  return record;
}

TEST(FillMeter, CountsSwingsBetweenEmptyAndFull) {
  FillMeter meter;
  meter.start(0);
  meter.advance(10, 0, false);
  meter.advance(20, 1, false);
  meter.advance(30, 2, true);  // one
  meter.advance(40, 1, false);
  meter.advance(50, 2, true);
  meter.advance(60, 0, false);  // two
  meter.advance(60, 2, true);   // for no time
  meter.advance(70, 0, false);
  EXPECT_EQ(record_of(meter, 70).swings, 2);
  EXPECT_EQ(record_of(meter, 70).empty_ns, 30);
  EXPECT_EQ(record_of(meter, 70).full_ns, 20);
}

TEST(FillMeter, AQueueOfManyItemsMayBeWatchedForWeeks) {
  constexpr std::int64_t kDay = 86'400'000'000'000;
  FillMeter meter;
  meter.start(0);
  meter.advance(30 * kDay, 10'000, true);
  EXPECT_DOUBLE_EQ(record_of(meter, 30 * kDay).mean_fill, 10'000.0);
}

}  // namespace
}  // namespace dflash
