// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "framework/core/json.h"

namespace dflash {

/// Tells targets apart that have the same shapes: a hash of the tokenizer, and of places spread over the weights (not
/// all of them, so that it takes no time). 16 hexadecimal digits. Throws UserError where the folder cannot be read.
std::string target_fingerprint(const std::filesystem::path& folder);

/// What an export says of the target that its drafter was trained against: {path, fingerprint}, the path absolute.
Json target_note(const std::filesystem::path& folder);

/// Says so where the drafter in `drafter_folder` was trained against another target than that in `target_folder`.
/// Nothing where it was the same one, or where the drafter's folder does not tell.
std::optional<std::string> other_target(const std::filesystem::path& drafter_folder,
                                        const std::filesystem::path& target_folder);

/// Says so where the drafter was trained on chats of another template or thinking mode than `chat` ({template,
/// thinking}): acceptance lengths of two modes do not compare. Nothing where both are equal or one is not known.
std::optional<std::string> other_chat(const std::filesystem::path& drafter_folder, const Json& chat);

}  // namespace dflash
