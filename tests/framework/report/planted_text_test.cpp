// SPDX-License-Identifier: Apache-2.0
#include "framework/report/planted_text.h"

#include <gtest/gtest.h>

namespace dflash {
namespace {

TEST(PlantedText, SaysWhatWasPlantedAndByWhichKey) {
  EXPECT_EQ(planted_text({}), "");
  EXPECT_EQ(planted_text({.sleep_ms = 60.0}), "each firing takes 60 ms longer (inject.sleep_ms)");
  EXPECT_EQ(planted_text({.gpu_sleep_ms = 2.5, .jitter = 0.2, .throw_at = 7}),
            "each firing's work on its device takes 2.5 ms longer, give or take 20 % (inject.gpu_sleep_ms); "
            "firing 7 fails (inject.throw_at)");
  EXPECT_EQ(planted_text({.nan_at = 3}), "firing 3 emits NaN (inject.nan_at)");
}

}  // namespace
}  // namespace dflash
