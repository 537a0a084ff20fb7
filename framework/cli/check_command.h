// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cli/application.h"
#include "framework/core/graph_file.h"

namespace dflash {

struct CheckRequest {
  bool quiet = false;
  bool json = false;
  bool strict = false;
};

/// `check GRAPH`: finds all that is wrong without running: reads the graph, what it names and what its stages say of
/// their parameters; starts nothing, writes nothing. Prints one line, warnings on standard error unless `quiet`.
/// Returns exit code 0; throws UserError with every mistake, and where the user is `strict` with every warning.
int check_command(const Application& application, const GraphRequest& request, const CheckRequest& check);

}  // namespace dflash
