// SPDX-License-Identifier: Apache-2.0
#include "stages/models/tensor_fields.h"

#include <cstring>
#include <optional>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "stages/models/device_copy.h"
#include "stages/models/safetensors_header.h"

namespace dflash {
namespace {

constexpr std::size_t kMostDimensions = 64;

at::Tensor on_host(const ItemReader& reader, const std::string& name, const ItemReader::Tensor& field) {
  const std::optional<at::ScalarType> type = safetensors_type(field.type);
  reader.check(type.has_value(), fmt::format("'{}' is of the unknown type '{}'", name, field.type));
  reader.check(field.sizes.size() <= kMostDimensions, fmt::format("'{}' has too many dimensions", name));
  const bool is_bool = type == at::kBool;
  at::Tensor tensor = at::empty(field.sizes, at::TensorOptions().dtype(is_bool ? at::kByte : *type));
  if (!field.bytes.empty()) {
    std::memcpy(tensor.data_ptr(), field.bytes.data(), field.bytes.size());
  }
  return is_bool ? tensor.ne(0) : tensor;
}

}  // namespace

void add_tensor(ItemWriter& writer, const std::string& name, const at::Tensor& tensor) {
  if (!tensor.defined()) {
    return;
  }
  const at::Tensor host = tensor.detach().cpu().contiguous();
  writer.add_tensor(name, safetensors_type_name(host.scalar_type()), host.sizes().vec(),
                    {static_cast<const std::byte*>(host.const_data_ptr()), host.nbytes()});
}

at::Tensor read_tensor(const ItemReader& reader, const std::string& name, at::Device device) {
  return to_device(on_host(reader, name, reader.tensor(name)), device);
}

at::Tensor read_tensor_if_any(const ItemReader& reader, const std::string& name, at::Device device) {
  return reader.find(name) != nullptr ? read_tensor(reader, name, device) : at::Tensor{};
}

at::Tensor read_list(const ItemReader& reader, const std::string& name, std::int64_t length, at::Device device) {
  const ItemReader::Tensor& field = reader.tensor(name);
  reader.check(field.type == "I64" && field.sizes == std::vector{length},
               fmt::format("'{}' is no list of {} whole numbers", name, length));
  return read_tensor(reader, name, device);
}

at::Tensor read_rows_if_any(const ItemReader& reader, const std::string& name, std::int64_t rows, at::Device device) {
  const ItemReader::Tensor* field = reader.find(name);
  reader.check(field == nullptr || (field->sizes.size() == 2 && field->sizes.front() == rows),
               fmt::format("'{}' is not of {} tokens", name, rows));
  return read_tensor_if_any(reader, name, device);
}

}  // namespace dflash
