// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/inspect_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "framework/cli/printing.h"
#include "framework/cli/stage_description.h"
#include "framework/core/error.h"
#include "framework/core/error_policy.h"
#include "framework/core/graph_keys.h"
#include "framework/core/inject.h"
#include "framework/core/nearest_name.h"
#include "framework/report/text_table.h"

namespace dflash {
namespace {

constexpr std::size_t kColumns = 100;

// Inputs and outputs in one table, so that their columns stand below each other.
std::string ports_text(const Json& description) {
  TextTable table{{{"port", TextTable::kLeft},
                   {"name", TextTable::kLeft},
                   {"items", TextTable::kLeft},
                   {"what", TextTable::kLeft}}};
  for (const auto& [side, ports] : {std::pair{"input", "inputs"}, {"output", "outputs"}}) {
    for (const Json& port : description.at(ports)) {
      table.row({side, port.at("name"), port.at("type"), port.at("help")});
    }
  }
  return table.text(2);
}

std::string param_text(const Json& param) {
  const std::string unit = param.at("unit").get<std::string>();
  const std::string otherwise =
      param.at("required").get<bool>()
          ? "required"
          : fmt::format("default {}{}", param.at("default").dump(), unit.empty() ? "" : " " + unit);
  std::string text = fmt::format("  {}: {}; {}\n", param.at("name").get<std::string>(),
                                 param.at("type").get<std::string>(), otherwise);
  const std::string help = param.at("help").get<std::string>();
  if (!help.empty()) {
    text += wrapped("      ", help, kColumns);
  }
  return text.back() == '\n' ? text : text + "\n";
}

std::string params_text(const Json& params) {
  std::string text;
  for (const Json& param : params) {
    text += param_text(param);
  }
  return text.empty() ? "  none\n" : text;
}

}  // namespace

int inspect_command(const Application& application, const std::string& type, bool json) {
  const Catalog::Entry* entry = application.catalog.find(type);
  DFLASH_USER_CHECK(entry != nullptr, "unknown stage type '{}'{}", type,
                    suggestion(type, application.catalog.type_names()));
  const Json description = describe_stage(*entry);
  if (json) {
    print("{}\n", description.dump());
    return 0;
  }
  print("{} ({}): {}\n", type, description.at("role").get<std::string>(), entry->info.summary);
  if (!entry->plugin.empty()) {
    print("It comes from plugin '{}'.\n", entry->plugin);
  }
  if (entry->info.drives_steps) {
    print("It makes the steps of the run, which run.steps and run.checkpoint count.\n");
  }
  print("\nPorts\n{}", ports_text(description));
  print("\nParameters (in \"params\", or by --set STAGE.NAME=VALUE)\n{}", params_text(description.at("params")));
  print("\nEvery stage also takes \"device\": cpu | cuda:N | sim:N; default: that of the run.\n");
  const InjectParams inject;
  print("Delays and faults to plant, for what-if questions (in \"inject\", or by --set STAGE.inject.NAME=VALUE)\n{}",
        params_text(describe_params(inject)));
  if (entry->info.stateless) {
    const ErrorPolicyParams on_error;
    print(
        "It keeps nothing between firings, so it also takes \"replicas\": how many may fire at once; and "
        "\"on_error\"\n{}",
        params_text(describe_params(on_error)));
  }
  print("Not in this version: \"{}\".\n", fmt::format("{}", fmt::join(kPlannedStageKeys, "\", \"")));
  return 0;
}

}  // namespace dflash
