// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "stages/models/mapped_file.h"
#include "stages/models/safetensors_header.h"

namespace dflash {

/// A safetensors file, mapped into memory.
class SafetensorsFile {
 public:
  /// Opens a file and checks its header wholly. Throws UserError naming the file, the tensor, what was found and
  /// expected.
  explicit SafetensorsFile(const std::filesystem::path& file);

  [[nodiscard]] const std::vector<StoredTensor>& tensors() const { return header_.tensors; }
  [[nodiscard]] const std::map<std::string, std::string>& metadata() const { return header_.metadata; }
  /// Null where the file has no such tensor.
  [[nodiscard]] const StoredTensor* find(std::string_view name) const;
  /// Returns a tensor on the CPU that shares the mapping and keeps it alive (a copy where its bytes are not aligned,
  /// and for BOOL). Writing to it does not change the file. Throws UserError with the nearest name where there is none.
  [[nodiscard]] at::Tensor tensor(std::string_view name) const;
  /// Gives back the memory that reading a tensor took; it is read anew when touched again. What was written to it is
  /// lost.
  void forget(std::string_view name) const;

 private:
  std::string path_;
  std::shared_ptr<MappedFile> mapping_;
  SafetensorsHeader header_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
};

using NamedTensor = std::pair<std::string, at::Tensor>;

/// Writes tensors, in the order given, to a file that appears whole or not at all (temporary name, sync, rename).
/// Tensors may be on any device and of any strides. Throws UserError for a name given twice or reserved, a type the
/// format lacks, and for what the system reports.
void write_safetensors(const std::filesystem::path& file, const std::vector<NamedTensor>& tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace dflash
