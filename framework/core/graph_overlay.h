// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/core/catalog.h"
#include "framework/core/graph_file.h"
#include "framework/core/json.h"

namespace dflash {

/// The one overlay that does to a graph file what the overlays, swaps and sets of a request do together. A parameter
/// that was set to null is left out of it, and so has its default. Throws UserError where the request has mistakes.
Json graph_overlay(const GraphRequest& request, const Catalog& catalog);

}  // namespace dflash
