// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace dflash {

/// What of a shared library is not there, as of one that was half copied: the loader maps its segments without a look
/// at the file's size, and the process ends by a signal once it touches what is missing. Empty where the segments are
/// whole, and for what is no 64-bit ELF file, which the loader refuses.
[[nodiscard]] std::string missing_part(const std::filesystem::path& library);

}  // namespace dflash
