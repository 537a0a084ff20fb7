// SPDX-License-Identifier: Apache-2.0
#include "framework/core/named_path.h"

#include <algorithm>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "framework/core/nearest_name.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

// A folder with more entries is not searched: its nearest name would not be worth the time.
constexpr std::size_t kMostEntries = 10'000;

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry{folder.empty() ? fs::path{"."} : folder, error};
  for (; !error && entry != fs::directory_iterator{} && names.size() < kMostEntries; entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::ranges::sort(names);  // the order of a folder is nobody's, and a tie must be decided the same way each time
  return names;
}

}  // namespace

fs::path nearest_path(const fs::path& path) {
  fs::path found;
  std::error_code error;
  for (const fs::path& part : path) {
    if (part.empty() || fs::exists(found / part, error)) {
      found /= part;
      continue;
    }
    const std::string nearest = nearest_name(part.string(), names_in(found));
    if (nearest.empty()) {
      return {};
    }
    found /= nearest;
  }
  return found;
}

std::optional<std::string> path_problem(const fs::path& path, PathKind kind, std::string_view what) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::status_known(status)) {
    return fmt::format("the {} '{}' cannot be looked at: {}", what, path.string(), error.message());
  }
  if (!fs::exists(status)) {
    const fs::path nearest = nearest_path(path);
    return fmt::format("no such {} '{}'{}", what, path.string(),
                       nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest.string()));
  }
  if (fs::is_directory(status) != (kind == PathKind::kFolder)) {
    return fmt::format("'{}' is a {}, allowed: a {}", path.string(), kind == PathKind::kFolder ? "file" : "folder",
                       what);
  }
  return std::nullopt;
}

}  // namespace dflash
