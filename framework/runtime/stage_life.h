// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <vector>

#include "framework/core/graph.h"
#include "framework/runtime/cut_file.h"
#include "framework/runtime/executor.h"

namespace dflash {

/// Checks and opens the stages of a graph, loads them from a cut, and closes what was opened, in reverse, whatever
/// happens.
class StageLife {
 public:
  StageLife(Graph& graph, const RunOptions& options);
  StageLife(const StageLife&) = delete;
  StageLife& operator=(const StageLife&) = delete;
  ~StageLife() { close(); }

  /// Before `open`. Throws UserError with all that the stages find wrong.
  void check() const;
  /// Sinks first. Throws StageError.
  void open(const std::vector<std::size_t>& order);
  /// Stages that the cut does not have stay as they are. Throws StageError, or UserError where the cut is of another
  /// graph.
  void load(const Cut& cut);
  /// Once; sources first.
  void close() noexcept;

 private:
  [[nodiscard]] StageEnv env_of(const Graph::Vertex& vertex) const;

  Graph* graph_;
  const RunOptions* options_;
  Resources no_resources_;
  RunLog own_log_;
  std::deque<StageEnv> envs_;  // referred to by open stages
  std::vector<Stage*> opened_;
};

}  // namespace dflash
