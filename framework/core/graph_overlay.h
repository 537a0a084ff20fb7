// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/core/catalog.h"
#include "framework/core/graph_file.h"
#include "framework/core/json.h"

namespace dflash {

/// The one overlay that makes of what the overlays, swaps and sets of `from` make of a graph file what those of `to`
/// make of it. A parameter that was set to null is left out of it, and so has its default. Throws UserError where one
/// of them has mistakes.
Json graph_overlay(const GraphRequest& from, const GraphRequest& to, const Catalog& catalog);

}  // namespace dflash
