// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/step_lines.h"

#include <nlohmann/json.hpp>

namespace dflash {

std::map<std::int64_t, const Json*> step_lines(const std::vector<Json>& metrics) {
  std::map<std::int64_t, const Json*> lines;
  for (const Json& line : metrics) {
    const auto step = line.find("step");
    if (step != line.end() && step->is_number_integer() && !line.contains("event")) {
      lines[step->get<std::int64_t>()] = &line;
    }
  }
  return lines;
}

}  // namespace dflash
