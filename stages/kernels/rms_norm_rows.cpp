// SPDX-License-Identifier: Apache-2.0
#include "stages/kernels/rms_norm_rows.h"

#include <cmath>

#include <c10/util/BFloat16.h>

namespace dflash {
namespace {

template <typename T>
void normalise_row(const T* x, const T* weight, T* y, std::int64_t width, float eps) {
  double sum_of_squares = 0;
  for (std::int64_t i = 0; i < width; ++i) {
    const double value = static_cast<float>(x[i]);
    sum_of_squares += value * value;
  }
  const auto scale = static_cast<float>(1.0 / std::sqrt(sum_of_squares / static_cast<double>(width) + eps));
  for (std::int64_t i = 0; i < width; ++i) {
    const T narrow = static_cast<T>(static_cast<float>(x[i]) * scale);
    y[i] = static_cast<T>(static_cast<float>(narrow) * static_cast<float>(weight[i]));
  }
}

template <typename T>
void normalise_rows(const RmsNormRows& rows) {
  const auto* x = static_cast<const T*>(rows.x);
  const auto* weight = static_cast<const T*>(rows.weight);
  auto* y = static_cast<T*>(rows.y);
  for (std::int64_t row = 0; row < rows.num_rows; ++row) {
    normalise_row(x + row * rows.width, weight, y + row * rows.width, rows.width, rows.eps);
  }
}

}  // namespace

void rms_norm_rows_cpu(const RmsNormRows& rows) {
  switch (rows.format) {
    case RowFormat::kFloat32:
      return normalise_rows<float>(rows);
    case RowFormat::kBFloat16:
      return normalise_rows<c10::BFloat16>(rows);
  }
}

}  // namespace dflash
