// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace dflash {

/// Ways to make the document index of each token of a pack. All give the same tensor.
enum class DocumentIdsMethod {
  kRepeatInterleave,  // repeats each index; given the output size, so a device needs no synchronisation
  kSearchsorted,      // looks each place up among the documents' ends
  kHost,              // fills it on the host and copies it
};

/// Returns the index of the document of each token of a pack of `pack_length`, -1 in the padding behind the last:
/// [pack_length] int64 on `device`. Documents follow each other with the given lengths. Throws InternalError if they do
/// not fit.
at::Tensor document_ids(const std::vector<std::int64_t>& lengths, std::int64_t pack_length, DocumentIdsMethod method,
                        at::Device device);

}  // namespace dflash
