// SPDX-License-Identifier: Apache-2.0
#include "stages/data/json_file.h"

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "stages/data/text_file.h"

namespace dflash {

nlohmann::json parse_json(std::string_view text, const std::string& place) {
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    throw UserError(fmt::format("{} is not JSON: {}", place, error.what()));
  }
}

nlohmann::json read_json_file(const std::filesystem::path& path) {
  return parse_json(read_text_file(path), path.string());
}

}  // namespace dflash
