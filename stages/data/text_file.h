// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace dflash {

/// Takes a piece of a file's content; returns whether it wants more.
using TakePiece = std::function<bool(std::string_view)>;

/// Calls `take` with the file's content, piece by piece: as it stands, or unpacked where the file begins with the magic
/// bytes of xz. Throws UserError where the file is missing, cannot be read, is a folder, or is damaged.
void read_text_chunks(const std::filesystem::path& path, const TakePiece& take);

/// Returns the whole content; see read_text_chunks.
std::string read_text_file(const std::filesystem::path& path);

/// Says whether the file begins with the magic bytes of xz. Throws UserError where it cannot be read.
bool is_xz_file(const std::filesystem::path& path);

}  // namespace dflash
