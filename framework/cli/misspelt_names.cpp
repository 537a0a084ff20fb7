// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/misspelt_names.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "framework/core/error.h"
#include "framework/core/nearest_name.h"

namespace dflash {

void check_command_name(CLI::App& program, const std::string& name) {
  std::vector<std::string> known;
  for (const CLI::App* command : program.get_subcommands(nullptr)) {
    known.push_back(command->get_name());
  }
  DFLASH_USER_CHECK(name.starts_with('-') || std::find(known.begin(), known.end(), name) != known.end(),
                    "unknown command '{}'{}", name, suggestion(name, known));
}

std::string option_suggestion(CLI::App& program, const std::vector<std::string>& arguments) {
  const std::vector<CLI::App*> chosen =
      program.get_subcommands([&](const CLI::App* command) { return command->get_name() == arguments[1]; });
  const CLI::App& command = chosen.empty() ? program : *chosen.front();
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) {
      known.push_back(option->get_name());
    }
  }
  for (const std::string& argument : arguments) {
    const std::string name = argument.substr(0, argument.find('='));
    if (name.starts_with("--") && std::find(known.begin(), known.end(), name) == known.end()) {
      return suggestion(name, known);
    }
  }
  return "";
}

}  // namespace dflash
