// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <ATen/core/Tensor.h>
#include <ATen/ops/full_like.h>

namespace dflash {

/// A tensor of the same shape, type and device, all NaN; the given one is not touched.
inline at::Tensor nan_like(const at::Tensor& tensor) {
  return at::full_like(tensor, std::numeric_limits<double>::quiet_NaN());
}

}  // namespace dflash
