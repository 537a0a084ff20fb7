// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/sweep_settings.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "framework/core/json_differences.h"
#include "framework/core/json_syntax.h"

namespace dflash {
namespace {

constexpr std::size_t kMostNamed = 8;

/// Of an object with the members of sweep.json: what has to be the same for a sweep to go on.
Json kept_settings(const Json& object) {
  Json kept{{"variants", Json::array()}, {"variant", Json::object()}};
  for (const char* key : {"graph", "overlay", "set", "swap", "seed"}) {
    kept[key] = object.at(key);
  }
  for (const Json& variant : object.at("variants")) {
    kept["variants"].push_back(variant.at("name"));
    for (const char* key : {"overlay", "set", "swap"}) {
      kept["variant"][variant.at("name").get<std::string>()][key] = variant.at(key);
    }
  }
  return kept;
}

Json with_variants(const Sweep& sweep) {
  Json object = sweep_settings(sweep);
  object["variants"] = Json::array();
  for (const SweepVariant& variant : sweep.variants) {
    object["variants"].push_back(
        {{"name", variant.name}, {"overlay", variant.overlays}, {"set", variant.sets}, {"swap", variant.swaps}});
  }
  return object;
}

}  // namespace

Json sweep_settings(const Sweep& sweep) {
  std::vector<std::string> overlays;
  std::ranges::transform(sweep.graph.overlays, std::back_inserter(overlays),
                         [](const std::filesystem::path& path) { return path.string(); });
  return {{"graph", sweep.graph.path.string()}, {"overlay", overlays},    {"set", sweep.graph.sets},
          {"swap", sweep.graph.swaps},          {"rounds", sweep.rounds}, {"seed", sweep.seed}};
}

void require_same_sweep(const Sweep& sweep) {
  const std::string file = (sweep.directory / "sweep.json").string();
  std::vector<std::string> differences =
      read_written(parse_or_discard(read_text(file)), file, [&](const Json& written) {
        std::vector<std::string> found;
        for (const JsonDifference& difference :
             json_differences(kept_settings(written), kept_settings(with_variants(sweep)))) {
          found.push_back(fmt::format("{} ({} there, {} here)", difference.key, shown_value(difference.before),
                                      shown_value(difference.now)));
        }
        if (const std::int64_t rounds = whole_number(written.at("rounds")); rounds > sweep.rounds) {
          found.push_back(fmt::format("rounds ({} there, {} here)", rounds, sweep.rounds));
        }
        return found;
      });
  const std::size_t named = std::min(differences.size(), kMostNamed);
  differences.resize(named);
  DFLASH_USER_CHECK(named == 0,
                    "cannot resume: the sweep in '{}' differs in {}; allowed: the sweep as it was, with as many rounds "
                    "or more, or another --run-dir",
                    sweep.directory.string(), fmt::join(differences, ", "));
}

}  // namespace dflash
