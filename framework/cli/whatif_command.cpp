// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/whatif_command.h"

#include <array>
#include <string_view>

#include "framework/analysis/what_if.h"
#include "framework/cli/printing.h"
#include "framework/cli/recorded_run.h"
#include "framework/core/json_syntax.h"

namespace dflash {
namespace {

constexpr std::array<std::pair<std::string_view, Change::Kind>, 3> kKinds{{{"speedup", Change::Kind::kSpeedup},
                                                                           {"capacity", Change::Kind::kCapacity},
                                                                           {"replicas", Change::Kind::kReplicas}}};

int run(const CommandValues& values, const CommandOutput& output) {
  std::string folder;
  std::vector<Change> changes;
  for (const auto& [name, value] : values) {
    if (name == "RUN") {
      folder = value;
    }
    for (const auto& [option, kind] : kKinds) {
      if (name == option) {
        changes.push_back(parse_change(kind, value));
      }
    }
  }
  const WhatIf result = what_if(RecordedRun{folder}.timeline(), changes);
  if (output.json) {
    print("{}\n", text_of(what_if_json(result)));
  } else if (!output.quiet) {
    print("{}", what_if_text(result));
  }
  return 0;
}

}  // namespace

Command whatif_command() {
  return {.name = "whatif",
          .help = "Predict how long a recorded run would take with faster stages, other capacities or more replicas.",
          .positionals = {{"RUN", "run directory"}},
          .options = {{"--speedup", "STAGE=TIMES: so many times as fast; repeatable", true},
                      {"--capacity", "EDGE=ITEMS or BUFFER=ITEMS: as the report names them; repeatable", true},
                      {"--replicas", "STAGE=NUMBER; repeatable", true}},
          .run = run};
}

}  // namespace dflash
