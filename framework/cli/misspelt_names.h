// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace dflash {

/// Throws UserError, with the nearest name, unless `name` is a command of the program or an option.
void check_command_name(CLI::App& program, const std::string& name);

/// "; did you mean '--overlay'?" for the first of the arguments that is no option of the command which they name; empty
/// where there is none.
std::string option_suggestion(CLI::App& program, const std::vector<std::string>& arguments);

}  // namespace dflash
