// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace dflash {

/// Gives a finished folder a name in the same file system. A folder that has the name already changes places with it
/// and is removed, so that at no time neither has it. Throws std::filesystem::filesystem_error; the name then belongs
/// to whoever had it.
void replace_folder(const std::filesystem::path& folder, const std::filesystem::path& name);

/// The same for file systems that cannot exchange two names: there is a moment without the name.
void replace_folder_by_moves(const std::filesystem::path& folder, const std::filesystem::path& name);

}  // namespace dflash
