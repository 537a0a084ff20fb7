// SPDX-License-Identifier: Apache-2.0
#include "framework/report/live_page.h"

#include <gmock/gmock.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(LivePage, IsOneFileThatNeedsNothingElse) {
  EXPECT_THAT(live_page(), AllOf(StartsWith("<!DOCTYPE html>"), HasSubstr("--busy:"), HasSubstr("const durationText"),
                                 HasSubstr("status.json"), Not(HasSubstr("{{")), Not(HasSubstr("src=")),
                                 Not(HasSubstr("https://"))));
}

TEST(LivePage, RefusesAWrongName) { EXPECT_THROW((void)live_page_file("live.htm"), InternalError); }

}  // namespace
}  // namespace dflash
