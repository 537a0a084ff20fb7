// SPDX-License-Identifier: Apache-2.0
// The precompiled header of all sources that compute with tensors. Every source pays for its size, so the headers of
// autograd's functions, which few sources need, are not in it.
#pragma once

#include <string_view>

#include <ATen/ATen.h>

namespace dflash {

/// GCC 12 forgets to emit this constructor where a precompiled header declares it and nothing in there uses it.
inline std::string_view string_view_in_precompiled_header() {
  std::string_view text{};
  return text;
}

}  // namespace dflash
