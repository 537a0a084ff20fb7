// SPDX-License-Identifier: Apache-2.0
#include "framework/core/graph_overlay.h"

#include <nlohmann/json.hpp>

#include "framework/core/diagnostics.h"
#include "framework/core/graph_changes.h"
#include "framework/core/json_text.h"
#include "framework/core/overlay.h"

namespace dflash {
namespace {

Json document_of(const GraphRequest& request, const Catalog& catalog) {
  Diagnostics diagnostics;
  JsonText document = read_json_file(request.path, "graph file", diagnostics);
  for (const std::filesystem::path& path : request.overlays) {
    merge_overlay(document, read_json_file(path, "overlay file", diagnostics));
  }
  apply_swaps(document, request.swaps, catalog, diagnostics);
  apply_sets(document, request.sets, diagnostics);
  diagnostics.throw_if_any();
  return document.value;
}

}  // namespace

Json graph_overlay(const GraphRequest& from, const GraphRequest& to, const Catalog& catalog) {
  return overlay_between(document_of(from, catalog), document_of(to, catalog));
}

}  // namespace dflash
