// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/elf_file.h"

#include <cstdint>
#include <cstring>
#include <fstream>

#include <elf.h>
#include <fmt/format.h>

namespace dflash {
namespace {

template <class Part>
bool read_at(std::ifstream& file, std::uint64_t offset, Part& part) {
  file.seekg(static_cast<std::streamoff>(offset));
  return static_cast<bool>(file.read(reinterpret_cast<char*>(&part), sizeof part));
}

}  // namespace

std::string missing_part(const std::filesystem::path& library) {
  std::ifstream file{library, std::ios::binary};
  Elf64_Ehdr header{};
  if (!read_at(file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64) {
    return "";
  }
  const std::uint64_t size = std::filesystem::file_size(library);
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    if (!read_at(file, header.e_phoff + i * sizeof segment, segment)) {
      return fmt::format("the file of {} bytes ends within its table of segments", size);
    }
    if (segment.p_filesz > size || segment.p_offset > size - segment.p_filesz) {
      return fmt::format("the file of {} bytes ends within a segment; was it copied whole?", size);
    }
  }
  return "";
}

}  // namespace dflash
