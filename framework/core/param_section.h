// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/diagnostics.h"
#include "framework/core/json_spot.h"
#include "framework/core/param.h"
#include "framework/core/resolved_graph.h"

namespace dflash {

/// Assigns the keys of an object to declared parameters; a key of a dotted parameter is looked for in a nested object.
/// Every unknown key, every value that does not fit and every required parameter that is missing is a mistake; `owner`
/// says whose parameters they are ("stage type 'counter'"). Keys of `elsewhere` are left to the caller.
void read_params(const JsonSpot& object, const ParamSet& params, std::string_view owner, Diagnostics& diagnostics,
                 const std::vector<std::string>& elsewhere = {});

/// Adds a mistake for every required parameter that `given` has no value for. `around`: the object that should have
/// had `given`, or that is it.
void check_required(const ParamSet& params, const std::optional<JsonSpot>& given, const JsonSpot& around,
                    Diagnostics& diagnostics);

/// All values as a nested object, defaults included. Each value's origin is noted: its place in `given`, or "default".
Json write_params(const ParamSet& params, const std::optional<JsonSpot>& given, const std::string& pointer,
                  ResolvedGraph& resolved);

/// The keys that may stand at a level of nesting: for "loss." of loss.type and loss.gamma these are type and gamma.
std::vector<std::string> keys_below(const ParamSet& params, std::string_view prefix);

}  // namespace dflash
