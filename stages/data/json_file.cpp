// SPDX-License-Identifier: Apache-2.0
#include "stages/data/json_file.h"

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/json_syntax.h"
#include "stages/data/text_file.h"

namespace dflash {

nlohmann::json parse_json_file(std::string_view text, const std::string& place) {
  nlohmann::json parsed;
  try {
    parsed = nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    const SyntaxMistake mistake = syntax_mistake(text, error);
    throw UserError(fmt::format("{}:{}:{}: not JSON: {}", place, mistake.line, mistake.column, mistake.what));
  }
  if (const auto mistake = overlooked_mistake(text)) {
    throw UserError(fmt::format("{}:{}:{}: {}", place, mistake->line, mistake->column, mistake->what));
  }
  return parsed;
}

nlohmann::json load_json(const std::filesystem::path& path) {
  return parse_json_file(read_text_file(path), path.string());
}

}  // namespace dflash
