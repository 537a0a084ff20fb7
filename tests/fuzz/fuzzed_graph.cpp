// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzzed_graph.h"

#include "framework/core/graph_mistakes.h"
#include "framework/core/json_syntax.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/example_stages.h"

namespace dflash {
namespace {

GraphFile read_with_examples(const GraphRequest& request, Diagnostics& diagnostics) {
  static const Catalog catalog = example_catalog();
  ExampleModel target;
  ExampleModel drafter;
  ExampleEvaluation evaluation;
  return read_graph(request, catalog, {{{"target", &target}, {"drafter", &drafter}}, &evaluation}, diagnostics);
}

/// A mistake found later, in a stage or a model, is placed in the document.
void place_every_value(const GraphFile& file) {
  Diagnostics later;
  const GraphMistakes mistakes{later, &file.document};
  for (const auto& [pointer, origin] : file.origins.items()) {
    (void)mistakes.place_of(pointer);
  }
}

}  // namespace

void FuzzedGraph::read_as_a_run_would(const GraphRequest& request) const {
  Diagnostics diagnostics;
  const GraphFile file = read_with_examples(request, diagnostics);
  place_every_value(file);
  diagnostics.throw_if_any();

  const std::filesystem::path again = folder() / "resolved.json";
  put_file(again, file.resolved.dump(2));
  const GraphFile same = read_with_examples({.path = again}, diagnostics);
  DFLASH_CHECK(diagnostics.empty(), "a resolved graph is refused: {}", diagnostics.mistakes().front());
  DFLASH_CHECK(same.resolved == file.resolved, "a resolved graph resolves to another: {}", same.resolved.dump());
}

}  // namespace dflash
