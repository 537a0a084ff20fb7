// SPDX-License-Identifier: Apache-2.0
#include "framework/core/graph_overlay.h"

#include <nlohmann/json.hpp>

#include "framework/core/diagnostics.h"
#include "framework/core/graph_changes.h"
#include "framework/core/json_text.h"
#include "framework/core/overlay.h"

namespace dflash {

Json graph_overlay(const GraphRequest& request, const Catalog& catalog) {
  Diagnostics diagnostics;
  JsonText document = read_json_file(request.path, "graph file", diagnostics);
  const Json before = document.value;
  for (const std::filesystem::path& path : request.overlays) {
    merge_overlay(document, read_json_file(path, "overlay file", diagnostics));
  }
  apply_swaps(document, request.swaps, catalog, diagnostics);
  apply_sets(document, request.sets, diagnostics);
  diagnostics.throw_if_any();
  return overlay_between(before, document.value);
}

}  // namespace dflash
