// SPDX-License-Identifier: Apache-2.0
#include "stages/kernels/rms_norm_forward.h"

#include <limits>

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "framework/core/error.h"
#include "stages/kernels/rms_norm_rows.h"

namespace dflash {
namespace {

RowFormat row_format(const at::Tensor& x) {
  DFLASH_CHECK(x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16, "rms_norm_forward of {}",
               c10::toString(x.scalar_type()));
  return x.scalar_type() == at::kFloat ? RowFormat::kFloat32 : RowFormat::kBFloat16;
}

CUstream_st* current_stream(const at::Device& device) {
  const c10::impl::VirtualGuardImpl guard{device.type()};
  return static_cast<CUstream_st*>(guard.getStream(device).native_handle());
}

void check_weight(const at::Tensor& x, const at::Tensor& weight) {
  DFLASH_CHECK(x.dim() > 0 && weight.dim() == 1 && weight.size(0) == x.size(-1),
               "rms_norm_forward: {} weights for {} dimensions", weight.numel(), x.dim());
  DFLASH_CHECK(weight.scalar_type() == x.scalar_type() && weight.device() == x.device(),
               "rms_norm_forward: weight {} on {}, x {} on {}", c10::toString(weight.scalar_type()),
               weight.device().str(), c10::toString(x.scalar_type()), x.device().str());
}

}  // namespace

at::Tensor rms_norm_forward(const at::Tensor& x, const at::Tensor& weight, double eps) {
  check_weight(x, weight);
  const at::Tensor rows_in = x.contiguous();
  const at::Tensor factors = weight.contiguous();
  at::Tensor y = at::empty_like(rows_in);
  const std::int64_t width = x.size(-1);
  const RmsNormRows rows{.x = rows_in.const_data_ptr(),
                         .weight = factors.const_data_ptr(),
                         .y = y.mutable_data_ptr(),
                         .num_rows = width == 0 ? 0 : x.numel() / width,
                         .width = width,
                         .eps = static_cast<float>(eps),
                         .format = row_format(x)};
  DFLASH_CHECK(rows.num_rows <= std::numeric_limits<std::int32_t>::max(), "rms_norm_forward of {} rows", rows.num_rows);
  if (x.is_cuda()) {
    const c10::DeviceGuard on_device{x.device()};
    rms_norm_rows_cuda(rows, current_stream(x.device()));
  } else {
    DFLASH_CHECK(x.is_cpu(), "rms_norm_forward on {}", x.device().str());
    rms_norm_rows_cpu(rows);
  }
  return y;
}

}  // namespace dflash
