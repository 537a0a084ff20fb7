// SPDX-License-Identifier: Apache-2.0
// Changes of a good graph: an overlay file, and lines "set PATH=VALUE" or "swap STAGE=TYPE" as the command line has
// them.
#include <sstream>

#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/fuzzed_graph.h"
#include "tests/support/example_stages.h"

namespace dflash {
namespace {

constexpr std::string_view kSet = "set ";
constexpr std::string_view kSwap = "swap ";

void add_changes(const std::string& text, GraphRequest& request) {
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kSet)) {
      request.sets.push_back(line.substr(kSet.size()));
    } else if (line.starts_with(kSwap)) {
      request.swaps.push_back(line.substr(kSwap.size()));
    }
  }
}

}  // namespace
}  // namespace dflash

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const dflash::FuzzedGraph graph;
  dflash::GraphRequest request{.path = graph.folder() / "graph.json"};
  dflash::put_file(request.path, dflash::kExampleGraph);
  const std::vector<std::string> pieces = dflash::pieces_of(data, size, 2);
  if (!pieces[0].empty()) {
    request.overlays.push_back(graph.folder() / "overlay.json");
    dflash::put_file(request.overlays.front(), pieces[0]);
  }
  dflash::add_changes(pieces[1], request);
  dflash::read_or_refuse([&] { graph.read_as_a_run_would(request); });
  return 0;
}
