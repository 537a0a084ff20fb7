// SPDX-License-Identifier: Apache-2.0
#include "framework/core/error.h"
#include "framework/device/device.h"
#include "stages/kernels/rms_norm_rows.h"

namespace dflash {

void rms_norm_rows_cuda(const RmsNormRows& /*rows*/, CUstream_st* /*stream*/) {
  throw UserError("rms_norm_rows on a CUDA device: " + no_cuda_reason());
}

}  // namespace dflash
