// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "stages/models/target_layer.h"

namespace dflash {

/// Causal attention inside each document of a pack. `document_starts` are the first rows of the documents and the row
/// after the last; rows from there on attend to nothing and get zeros. With a `window` above 0 a query sees so many
/// tokens at most, itself included. On CUDA one call serves all documents (but for fp32 with a window).
TargetAttention document_causal_attention(const std::vector<std::int64_t>& document_starts, at::Device device,
                                          std::int64_t window = 0);

}  // namespace dflash
