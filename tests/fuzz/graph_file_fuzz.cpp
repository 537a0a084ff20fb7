// SPDX-License-Identifier: Apache-2.0
// Any bytes as a graph file.
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/fuzzed_graph.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const dflash::FuzzedGraph graph;
  const std::filesystem::path path = graph.folder() / "graph.json";
  dflash::put_file(path, dflash::pieces_of(data, size, 1).front());
  dflash::read_or_refuse([&] { graph.read_as_a_run_would({.path = path}); });
  return 0;
}
