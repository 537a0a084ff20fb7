// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <ATen/core/Tensor.h>

#include "framework/core/item_fields.h"

namespace dflash {

/// Tensors as fields of a recorded item. Their values and shapes come back bit for bit; strides, and memory that they
/// share, do not.

/// Adds nothing where the tensor is undefined. May be on any device, and is waited for.
void add_tensor(ItemWriter& writer, const std::string& name, const at::Tensor& tensor);

/// Throws UserError where there is none.
at::Tensor read_tensor(const ItemReader& reader, const std::string& name, at::Device device);

/// Undefined where there is none.
at::Tensor read_tensor_if_any(const ItemReader& reader, const std::string& name, at::Device device);

/// Whole numbers, [length]; UserError for anything else.
at::Tensor read_list(const ItemReader& reader, const std::string& name, std::int64_t length, at::Device device);

/// Something of each of `rows` tokens, [rows, any]; UserError for anything else. Undefined stays undefined.
at::Tensor read_rows_if_any(const ItemReader& reader, const std::string& name, std::int64_t rows, at::Device device);

}  // namespace dflash
