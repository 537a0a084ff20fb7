// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace dflash {

/// What a path that a user names should lead to.
enum class PathKind { kFile, kFolder };

/// What is wrong with a path, or nothing: there is no such file or folder (with the nearest one that is there), it is
/// the other of the two, or it cannot be looked at. `what` names what is wanted: "graph file".
std::optional<std::string> path_problem(const std::filesystem::path& path, PathKind kind, std::string_view what);

/// The path in the file system that is nearest to one that is not there: each part that is missing is replaced by its
/// nearest name in that folder. Empty where a part has none.
std::filesystem::path nearest_path(const std::filesystem::path& path);

}  // namespace dflash
