// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "framework/core/diagnostics.h"
#include "framework/core/json_text.h"

namespace dflash {

/// Replaces "${name}" in every string of "models", "stages", "edges" and "run" by the variable of "vars". A string that
/// is one variable and nothing else takes the variable's type; inside a longer string only text, numbers and booleans
/// may stand. By all of them together a graph may grow by as much as a file may hold. Returns the variables that
/// nothing used.
std::vector<std::string> substitute_variables(JsonText& document, Diagnostics& diagnostics);

/// Whether a value is a text with a variable in it: after substitution, one that could not be replaced.
bool has_variable(const Json& value);

}  // namespace dflash
