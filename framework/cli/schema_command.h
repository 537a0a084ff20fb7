// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cli/application.h"
#include "framework/core/json.h"

namespace dflash {

/// The JSON schema of this program's graph files, for editors: made from the declarations of stages and sections.
Json graph_schema(const Application& application);

/// `schema`: prints it; on one line with `json`. Returns exit code 0.
int schema_command(const Application& application, bool json);

}  // namespace dflash
