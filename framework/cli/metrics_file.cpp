// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/metrics_file.h"

#include <sstream>

#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/json_syntax.h"

namespace dflash {
namespace {

bool is_at_most(const Json& object, std::int64_t step) {
  const Json found = object.is_object() ? object.value("step", Json{}) : Json{};
  return found.is_number_unsigned() && step >= 0 && found.get<std::uint64_t>() <= static_cast<std::uint64_t>(step);
}

}  // namespace

void append_json_line(const std::filesystem::path& file, const Json& object) {
  append_text(file, text_of(object) + "\n");
}

void cut_back_metrics(const std::filesystem::path& file, std::int64_t step, bool end_comes_again) {
  if (!std::filesystem::exists(file)) {
    return;
  }
  std::istringstream lines{read_text(file)};
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    const Json object = parse_or_discard(line);
    if (is_at_most(object, step) && !(end_comes_again && object.value("when", Json{}) == "end")) {
      kept += line + "\n";
    }
  }
  replace_durably(file, kept);
}

}  // namespace dflash
