// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/ATen.h>

#include "stages/batch/token_pack.h"
#include "stages/models/feature_fusion.h"
#include "tests/stages/item_bytes.h"

namespace dflash {

/// Any bits, NaN's among them, in memory of its own or with other strides.
inline at::Tensor any_tensor(const std::vector<std::int64_t>& sizes, at::ScalarType type) {
  at::Tensor tensor = at::empty(sizes, type);
  auto* bytes = static_cast<std::uint8_t*>(tensor.data_ptr());
  for (std::size_t i = 0; i < tensor.nbytes(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(*rc::gen::inRange(0, 256));
  }
  return tensor.dim() == 2 && up_to(1) == 1 ? tensor.t().contiguous().t() : tensor;
}

inline at::ScalarType any_float_type() { return *rc::gen::element(at::kFloat, at::kBFloat16, at::kHalf); }

inline std::vector<std::int64_t> any_numbers(std::int64_t count) {
  return *rc::gen::container<std::vector<std::int64_t>>(static_cast<std::size_t>(count),
                                                        rc::gen::arbitrary<std::int64_t>());
}

/// Of up to five rows; its documents are not those that a packer makes.
inline TokenPack any_pack() {
  TokenPack pack;
  const std::int64_t rows = up_to(5);
  pack.host_ids = any_numbers(rows);
  pack.host_loss_mask = *rc::gen::container<std::vector<std::uint8_t>>(static_cast<std::size_t>(rows),
                                                                       rc::gen::arbitrary<std::uint8_t>());
  for (std::int64_t i = up_to(2); i > 0; --i) {
    const std::int64_t begin = up_to(rows);
    pack.documents.push_back({.row_id = *rc::gen::arbitrary<std::int64_t>(),
                              .epoch = *rc::gen::arbitrary<std::int64_t>(),
                              .begin = begin,
                              .end = begin + up_to(rows - begin),
                              .tag = any_text()});
  }
  pack.tokens = up_to(rows);
  pack.ids = any_tensor({rows}, at::kLong);
  pack.positions = any_tensor({rows}, at::kLong);
  pack.document_ids = any_tensor({rows}, at::kLong);
  return pack;
}

/// Of each form: a base, loose taps, taps that are columns of a base.
inline Features any_features(std::int64_t rows) {
  Features features;
  const at::ScalarType type = any_float_type();
  const std::int64_t taps = 1 + up_to(2);
  const std::int64_t hidden = 1 + up_to(3);
  const std::int64_t form = up_to(2);
  if (form == 0) {
    for (std::int64_t i = 0; i < taps; ++i) {
      features.taps.push_back(any_tensor({rows, hidden}, type));
    }
    return features;
  }
  features.base = any_tensor({rows, taps * hidden}, type).contiguous();
  if (form == 2) {
    features.taps = features.base.chunk(taps, 1);
  }
  return features;
}

}  // namespace dflash
