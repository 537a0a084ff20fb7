// SPDX-License-Identifier: Apache-2.0
#include "framework/report/number_text.h"

#include <gmock/gmock.h>

namespace dflash {
namespace {

TEST(DurationText, ChoosesTheUnitThatReadsBest) {
  EXPECT_EQ(duration_text(0), "0 ns");
  EXPECT_EQ(duration_text(870), "870 ns");
  EXPECT_EQ(duration_text(999.6), "1.00 us");
  EXPECT_EQ(duration_text(12'345), "12.3 us");
  EXPECT_EQ(duration_text(1'240'000), "1.24 ms");
  EXPECT_EQ(duration_text(42.1e9), "42.1 s");
  EXPECT_EQ(duration_text(725e9), "12m05s");
  EXPECT_EQ(duration_text(11'220e9), "3h07m");
}

TEST(BytesText, CountsInPowersOf1024) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(std::int64_t{2} << 30), "2.0 GiB");
}

TEST(RateText, KeepsThreeDigits) {
  EXPECT_EQ(rate_text(0), "0.00");
  EXPECT_EQ(rate_text(0.01234), "0.0123");
  EXPECT_EQ(rate_text(7.841), "7.84");
  EXPECT_EQ(rate_text(14'512), "14.5K");
  EXPECT_EQ(rate_text(1.2e6), "1.20M");
}

TEST(PercentText, ShowsADecimalOnlyBelowOne) {
  EXPECT_EQ(percent_text(0), "0 %");
  EXPECT_EQ(percent_text(0.004), "0.4 %");
  EXPECT_EQ(percent_text(0.123), "12 %");
  EXPECT_EQ(percent_text(1.0), "100 %");
}

TEST(CountText, PutsTheNounInItsNumber) {
  EXPECT_EQ(count_text(1, "worker"), "1 worker");
  EXPECT_EQ(count_text(2, "worker"), "2 workers");
}

}  // namespace
}  // namespace dflash
