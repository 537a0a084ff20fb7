// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/intra_op_threads.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

TEST(IntraOpThreads, HoldTheCountForAScopeAndRestoreIt) {
  const int before = at::get_num_threads();
  {
    const IntraOpThreads threads(before + 2);
    EXPECT_EQ(at::get_num_threads(), before + 2);
  }
  EXPECT_EQ(at::get_num_threads(), before);
}

TEST(IntraOpThreads, RefuseNone) { EXPECT_THROW(IntraOpThreads(0), InternalError); }

}  // namespace
}  // namespace dflash
