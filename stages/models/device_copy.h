// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

namespace dflash {

/// Copies that the host does not wait for. Both return the tensor itself where it is there already.

/// In order of the current stream. The source may be let go at once.
at::Tensor to_device(const at::Tensor& host, at::Device device);

/// The values may be read once the work queued so far on the current stream is done.
at::Tensor to_host(const at::Tensor& values);

}  // namespace dflash
