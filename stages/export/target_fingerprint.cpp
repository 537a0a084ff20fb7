// SPDX-License-Identifier: Apache-2.0
#include "stages/export/target_fingerprint.h"

#include <algorithm>
#include <fstream>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "framework/core/json_syntax.h"
#include "stages/export/parity_set.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kPlaces = 64;   // of each file of weights
constexpr std::uintmax_t kWidth = 4096;  // bytes read at each

std::vector<fs::path> weights_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".safetensors") {
      files.push_back(entry.path());
    }
  }
  DFLASH_USER_CHECK(!error, "{}: cannot be read: {}", folder.string(), error.message());
  std::ranges::sort(files);
  return files;
}

std::string sampled(const fs::path& path) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  DFLASH_USER_CHECK(!error && file, "{}: cannot be read", path.string());
  std::string bytes = fmt::format("{}:", size);
  std::string window(kWidth, '\0');
  for (std::uintmax_t place = 0; place < kPlaces; ++place) {
    file.clear();
    file.seekg(static_cast<std::streamoff>((size > kWidth ? size - kWidth : 0) * place / (kPlaces - 1)));
    file.read(window.data(), static_cast<std::streamsize>(kWidth));
    bytes.append(window.data(), static_cast<std::size_t>(file.gcount()));
  }
  return bytes;
}

using Answer = std::optional<std::string>;

/// What `ask` makes of one entry of the export's parity set. Nothing where there is no such entry, or no set.
template <class Ask>
Answer ask_parity(const fs::path& drafter_folder, const char* entry, const Ask& ask) {
  const fs::path file = drafter_folder / kParityName;
  if (!fs::exists(file)) {
    return std::nullopt;
  }
  return read_written(parse_or_discard(read_text(file)), file.string(), [&](const Json& written) -> Answer {
    return written.contains(entry) ? ask(written.at(entry), file.string()) : std::nullopt;
  });
}

}  // namespace

std::string target_fingerprint(const fs::path& folder) {
  const fs::path tokenizer = folder / "tokenizer.json";
  std::string all = fs::exists(tokenizer) ? hash_file(tokenizer) : "";
  for (const fs::path& file : weights_in(folder)) {
    all += hash_text(sampled(file));
  }
  return hash_text(all);
}

Json target_note(const fs::path& folder) {
  return {{"path", fs::absolute(folder).lexically_normal().string()}, {"fingerprint", target_fingerprint(folder)}};
}

std::optional<std::string> other_target(const fs::path& drafter_folder, const fs::path& target_folder) {
  return ask_parity(drafter_folder, "target", [&](const Json& then, const std::string& file) -> Answer {
    const auto trained_with = then.at("fingerprint").get<std::string>();
    const std::string found = target_fingerprint(target_folder);
    if (found == trained_with) {
      return std::nullopt;
    }
    return fmt::format("the drafter was trained against another target: {} says {} (fingerprint {}), and {} has {}",
                       file, then.at("path").get<std::string>(), trained_with, target_folder.string(), found);
  });
}

std::optional<std::string> other_chat(const fs::path& drafter_folder, const Json& chat) {
  return ask_parity(drafter_folder, "chat", [&](const Json& then, const std::string& file) -> Answer {
    if (chat.is_null() || then.is_null() || then == chat) {
      return std::nullopt;
    }
    return fmt::format(
        "the drafter was trained on other chats: {} has {}, this is {}; acceptance lengths of two "
        "templates or modes do not compare",
        file, then.dump(), chat.dump());
  });
}

}  // namespace dflash
