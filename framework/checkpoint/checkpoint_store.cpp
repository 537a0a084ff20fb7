// SPDX-License-Identifier: Apache-2.0
#include "framework/checkpoint/checkpoint_store.h"

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "framework/checkpoint/checkpoint_manifest.h"
#include "framework/checkpoint/durable_file.h"
#include "framework/checkpoint/replace_folder.h"
#include "framework/core/error.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "step-";
constexpr std::string_view kTemporaryPrefix = ".writing-";

std::optional<std::string> compare(const fs::path& folder, const CheckpointManifest::File& file) {
  const fs::path inside = fs::path{file.name}.lexically_normal();
  if (inside.is_absolute() || (!inside.empty() && *inside.begin() == "..")) {
    return fmt::format("'{}' lies outside the folder", file.name);
  }
  const fs::path path = folder / inside;
  std::error_code cannot_be;  // a name that is too long, for one
  if (!fs::is_regular_file(path, cannot_be)) {
    return fmt::format("'{}' is missing", file.name);
  }
  const auto bytes = static_cast<std::int64_t>(fs::file_size(path));
  if (bytes != file.bytes) {
    return fmt::format("'{}' has {} bytes, {} were written", file.name, bytes, file.bytes);
  }
  if (hash_file(path) != file.hash) {
    return fmt::format("'{}' is not as it was written (its hash differs)", file.name);
  }
  return std::nullopt;
}

}  // namespace

CheckpointStore::CheckpointStore(fs::path folder, CheckpointPolicy policy)
    : folder_{std::move(folder)}, policy_{policy} {
  DFLASH_CHECK(policy.keep_last >= 1 && policy.keep_best >= 0, "keep_last {}, keep_best {}", policy.keep_last,
               policy.keep_best);
}

Checkpoint CheckpointStore::write(std::int64_t step, std::optional<double> score, const Fill& fill) {
  const std::string name = fmt::format("{}{:06}", kPrefix, step);
  const fs::path temporary = folder_ / fmt::format("{}{}", kTemporaryPrefix, name);
  const fs::path final_name = folder_ / name;
  try {
    fs::create_directories(folder_);
    remove_leftovers();
    fs::create_directory(temporary);
    fill(temporary);
    write_manifest(temporary, {.step = step, .score = score, .files = seal_files(temporary)});
    sync_to_disk(temporary);
    replace_folder(temporary, final_name);
    sync_to_disk(folder_);
  } catch (const fs::filesystem_error& error) {
    std::error_code ignored;
    fs::remove_all(temporary, ignored);
    throw UserError(fmt::format("the checkpoint of step {} could not be written: {}", step, error.what()));
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(temporary, ignored);
    throw;
  }
  prune(step);
  return {.folder = final_name, .step = step, .score = score};
}

std::vector<fs::path> CheckpointStore::step_folders() const {
  std::vector<fs::path> folders;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator{folder_, missing}) {
    std::error_code cannot_be_seen;
    if (entry.is_directory(cannot_be_seen) && entry.path().filename().string().starts_with(kPrefix)) {
      folders.push_back(entry.path());
    }
  }
  // Names have at least six digits, so longer ones are of later steps.
  std::sort(folders.begin(), folders.end(), [](const fs::path& a, const fs::path& b) {
    const std::string left = a.filename().string();
    const std::string right = b.filename().string();
    return std::pair{left.size(), left} < std::pair{right.size(), right};
  });
  return folders;
}

std::vector<Checkpoint> CheckpointStore::list() const {
  std::vector<Checkpoint> checkpoints;
  for (const fs::path& folder : step_folders()) {
    try {
      const CheckpointManifest manifest = read_manifest(folder);
      checkpoints.push_back({.folder = folder, .step = manifest.step, .score = manifest.score});
    } catch (const UserError&) {
      continue;
    } catch (const fs::filesystem_error&) {
      continue;
    }
  }
  return checkpoints;
}

std::optional<std::string> CheckpointStore::verify(const fs::path& folder) {
  try {
    for (const auto& file : read_manifest(folder).files) {
      if (std::optional<std::string> problem = compare(folder, file)) {
        return problem;
      }
    }
  } catch (const UserError& error) {
    return error.what();
  } catch (const fs::filesystem_error& error) {  // what may not be looked at, a link to itself
    return error.what();
  }
  return std::nullopt;
}

NewestValid CheckpointStore::newest_valid() const {
  NewestValid result;
  const std::vector<fs::path> folders = step_folders();
  for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) {
    if (std::optional<std::string> problem = verify(*folder)) {
      result.skipped.push_back({.folder = *folder, .reason = *std::move(problem)});
      continue;
    }
    const CheckpointManifest manifest = read_manifest(*folder);
    result.checkpoint = Checkpoint{.folder = *folder, .step = manifest.step, .score = manifest.score};
    break;
  }
  return result;
}

void CheckpointStore::remove_leftovers() const {
  std::vector<fs::path> leftovers;
  for (const auto& entry : fs::directory_iterator{folder_}) {
    if (entry.path().filename().string().starts_with(kTemporaryPrefix)) {
      leftovers.push_back(entry.path());
    }
  }
  for (const fs::path& leftover : leftovers) {
    fs::remove_all(leftover);
  }
}

/// Looks only at checkpoints up to the one just written, which is good and stays: a later one is there only if it was
/// damaged and the run went on from before it.
void CheckpointStore::prune(std::int64_t newest_step) const {
  std::vector<Checkpoint> checkpoints = list();
  std::erase_if(checkpoints, [&](const Checkpoint& checkpoint) { return checkpoint.step > newest_step; });
  std::set<std::int64_t> kept;
  for (auto last = checkpoints.rbegin(); last != checkpoints.rend(); ++last) {
    if (static_cast<std::int64_t>(kept.size()) < policy_.keep_last) {
      kept.insert(last->step);
    }
  }
  std::vector<Checkpoint> scored = checkpoints;
  std::erase_if(scored, [](const Checkpoint& checkpoint) { return !checkpoint.score; });
  std::stable_sort(scored.begin(), scored.end(), [](const Checkpoint& a, const Checkpoint& b) {
    return std::pair{*a.score, a.step} > std::pair{*b.score, b.step};
  });
  for (std::size_t i = 0; i < scored.size() && static_cast<std::int64_t>(i) < policy_.keep_best; ++i) {
    kept.insert(scored[i].step);
  }
  for (const Checkpoint& checkpoint : checkpoints) {
    if (!kept.contains(checkpoint.step)) {
      std::error_code ignored;
      fs::remove_all(checkpoint.folder, ignored);
    }
  }
}

}  // namespace dflash
