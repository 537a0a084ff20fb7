// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace dflash {

/// Files that are still there, whole, after the machine has stopped. All throw UserError with the path and the system's
/// reason (a full disk, no permission).

/// Writes the whole text to a file and waits until the disk has it. Replaces what was there, not atomically.
void write_durably(const std::filesystem::path& path, std::string_view text);

/// Adds the whole text to the end of a file, which need not be there yet; does not wait for the disk.
void append_text(const std::filesystem::path& path, std::string_view text);

/// Writes beside the file and renames over it, so that a reader sees the old text or the new, never a half; where that
/// fails, the old one stays.
void replace_durably(const std::filesystem::path& file, std::string_view text);

/// Waits until the disk has a file's content, or a folder's entries.
void sync_to_disk(const std::filesystem::path& path);

/// The whole content of a file.
std::string read_text(const std::filesystem::path& path);

/// XXH3 (64 bits) of a file's content, as 16 hexadecimal digits.
std::string hash_file(const std::filesystem::path& path);

/// XXH3 (64 bits) of a text, as 16 hexadecimal digits.
std::string hash_text(std::string_view text);

}  // namespace dflash
