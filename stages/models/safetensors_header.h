// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>

namespace dflash {

/// Where a tensor lies in a safetensors file.
struct StoredTensor {
  std::string name;
  at::ScalarType type = at::kFloat;
  std::vector<std::int64_t> sizes;
  std::size_t begin = 0;  // of its bytes, from the start of the file
  std::size_t end = 0;
};

/// What a safetensors file says about itself.
struct SafetensorsHeader {
  std::vector<StoredTensor> tensors;  // in the order of their bytes
  std::map<std::string, std::string> metadata;
};

/// Reads and wholly checks the header of a safetensors file given by its bytes: length, JSON, duplicate and unknown
/// keys, types, shapes, offsets that fit the shapes and cover the data without gap or overlap. Throws UserError naming
/// `file`, the tensor, what was found and what was expected. Any bytes are safe.
SafetensorsHeader read_safetensors_header(std::span<const std::byte> bytes, const std::string& file);

/// The format's name of an element type ("BF16"). Throws UserError for a type that the format or we lack.
std::string_view safetensors_type_name(at::ScalarType type);
/// The element type of such a name; nothing where the format or we lack it.
std::optional<at::ScalarType> safetensors_type(std::string_view name);

}  // namespace dflash
