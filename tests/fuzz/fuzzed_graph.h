// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "framework/core/graph_file.h"
#include "tests/support/temporary_folder.h"

namespace dflash {

/// Reads graphs as the commands do, with the stages of tests/support/example_stages.h, and looks at all that was read.
class FuzzedGraph {
 public:
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  /// What a graph file without a mistake resolves to is a graph file itself, which resolves to the same.
  void read_as_a_run_would(const GraphRequest& request) const;

 private:
  TemporaryFolder folder_;
};

}  // namespace dflash
