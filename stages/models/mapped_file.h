// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace dflash {

/// A file's bytes, mapped privately: writing to them changes neither the file nor another mapping. The file must not be
/// shortened while it is mapped; replacing it by rename does no harm.
class MappedFile {
 public:
  /// Throws UserError with the path and the system's reason.
  explicit MappedFile(const std::filesystem::path& file);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();
  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }
  /// Gives back the memory of a part (and of the rest of its first and last page): what is touched again is read from
  /// the file again, and what was written is lost.
  void forget(std::span<std::byte> part) const;

 private:
  std::span<std::byte> bytes_;
};

}  // namespace dflash
