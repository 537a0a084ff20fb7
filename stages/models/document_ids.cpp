// SPDX-License-Identifier: Apache-2.0
#include "stages/models/document_ids.h"

#include <numeric>

#include <ATen/ATen.h>

#include "framework/core/error.h"
#include "stages/models/device_copy.h"

namespace dflash {
namespace {

using Lengths = std::vector<std::int64_t>;

at::Tensor to_tensor(const Lengths& values, at::Device device) {
  return to_device(at::tensor(values, at::TensorOptions().dtype(at::kLong)), device);
}

at::Tensor by_repeat_interleave(Lengths lengths, std::int64_t padding, std::int64_t pack_length, at::Device device) {
  Lengths ids(lengths.size());
  std::iota(ids.begin(), ids.end(), 0);
  ids.push_back(-1);
  lengths.push_back(padding);
  return at::repeat_interleave(to_tensor(ids, device), to_tensor(lengths, device), 0, pack_length);
}

at::Tensor by_searchsorted(const Lengths& lengths, std::int64_t pack_length, at::Device device) {
  Lengths ends(lengths.size());
  std::partial_sum(lengths.begin(), lengths.end(), ends.begin());
  const at::Tensor places = at::arange(pack_length, at::TensorOptions().dtype(at::kLong).device(device));
  const at::Tensor ids = at::searchsorted(to_tensor(ends, device), places, /*out_int32=*/false, /*right=*/true);
  return ids.masked_fill(ids == static_cast<std::int64_t>(lengths.size()), -1);
}

at::Tensor on_host(const Lengths& lengths, std::int64_t pack_length, at::Device device) {
  at::Tensor ids = at::full({pack_length}, -1, at::kLong);
  std::int64_t* data = ids.data_ptr<std::int64_t>();
  for (std::size_t d = 0; d < lengths.size(); ++d) {
    std::fill_n(data, lengths[d], static_cast<std::int64_t>(d));
    data += lengths[d];
  }
  return to_device(ids, device);
}

}  // namespace

at::Tensor document_ids(const std::vector<std::int64_t>& lengths, std::int64_t pack_length, DocumentIdsMethod method,
                        at::Device device) {
  const std::int64_t padding = pack_length - std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  DFLASH_CHECK(padding >= 0, "documents are {} tokens longer than the pack of {}", -padding, pack_length);
  switch (method) {
    case DocumentIdsMethod::kRepeatInterleave:
      return by_repeat_interleave(lengths, padding, pack_length, device);
    case DocumentIdsMethod::kSearchsorted:
      return by_searchsorted(lengths, pack_length, device);
    case DocumentIdsMethod::kHost:
      return on_host(lengths, pack_length, device);
  }
  throw_internal_error("known method", "document ids");
}

}  // namespace dflash
