// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/intra_op_threads.h"

#include <ATen/Parallel.h>

#include "framework/core/error.h"

namespace dflash {

IntraOpThreads::IntraOpThreads(int threads) : before_{at::get_num_threads()} {
  DFLASH_CHECK(threads >= 1, "threads = {}", threads);
  at::set_num_threads(threads);
}

IntraOpThreads::~IntraOpThreads() { at::set_num_threads(before_); }

}  // namespace dflash
