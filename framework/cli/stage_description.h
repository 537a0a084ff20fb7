// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "framework/core/catalog.h"
#include "framework/core/json.h"
#include "framework/core/param.h"

namespace dflash {

/// "source", "transform", "buffer" or "sink", from a stage's ports.
std::string role_of(const Stage& stage);

/// {"type", "summary", "role", "inputs": [{"name", "type", "help"}], "outputs", "params": [{"name", "type", "default",
/// "required", "unit", "help", "schema"}]}, and "plugin", its file, where one has brought the type.
Json describe_stage(const Catalog::Entry& entry);

/// The "params" of describe_stage.
Json describe_params(const ParamSet& params);

/// The JSON schema of an object with these parameters: a closed set of keys, dotted names nested, a variable "${name}"
/// allowed wherever a value is.
Json params_schema(const ParamSet& params);

}  // namespace dflash
