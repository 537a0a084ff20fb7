// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/error.h"

/// What a fuzzer calls with the bytes that it makes up, under the name that libFuzzer asks for. A crash, a hang, a leak
/// or an exception is a finding; the order of calls does not matter.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace dflash {

/// The pieces of an input between lines "%%": one for each file or list that a target reads. Always `count` of them;
/// those that are missing are empty, the last takes the rest.
std::vector<std::string> pieces_of(const std::uint8_t* data, std::size_t size, std::size_t count);

/// Replaces a file, without waiting for the disk.
void put_file(const std::filesystem::path& path, std::string_view bytes);

/// The whole content of a file.
std::string file_bytes(const std::filesystem::path& path);

/// Reads, or refuses as it should: by a UserError. Any other exception leaves the fuzzer.
template <class Read>
void read_or_refuse(const Read& read) {
  try {
    read();
  } catch (const UserError& error) {
    DFLASH_CHECK(*error.what() != '\0', "refused without a word");
  }
}

}  // namespace dflash
