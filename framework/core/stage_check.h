// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/graph.h"
#include "framework/core/graph_mistakes.h"
#include "framework/core/stage.h"

namespace dflash {

/// What a stage sees when it is checked before it opens, and where it says what is wrong. A mistake gets the place in
/// the graph file, or the option of the command line, that brought the value.
class StageCheck {
 public:
  /// All are borrowed. `graph` null: the stage stands alone.
  StageCheck(const StageEnv& env, const Stage& stage, const Graph* graph, GraphMistakes& mistakes)
      : env_{env}, stage_{stage}, graph_{graph}, mistakes_{mistakes} {}

  /// As at `open`, but that there is no run directory and no log, and that resources may be missing.
  [[nodiscard]] const StageEnv& env() const { return env_; }
  /// A resource that the stage cannot do without, made of a section of the graph: "models.target". Null where it is
  /// missing, which is a mistake; but where the graph's "models" have mistakes, it may be missing because of these.
  template <class T>
  [[nodiscard]] T* needs(std::string_view section) {
    T* resource = env_.resources->find<T>();
    if (resource == nullptr) {
      add_missing(section);
    }
    return resource;
  }
  /// The stages whose items reach this one, the nearest first.
  [[nodiscard]] std::vector<const Graph::Vertex*> upstream() const;

  /// Something is wrong with a parameter of this stage: "found 8, allowed: ...".
  void add(const ParamBase& param, std::string_view message);
  /// The numbers of a list must be at least 1 and ascend without repetition.
  void require_ascending(const Param<std::vector<std::int64_t>>& param);
  /// Where a parameter was given, as a clause to end a message with: " (--set queue.capacity=2)". Empty where unknown.
  [[nodiscard]] std::string place_clause(const ParamBase& param) const;
  /// Something is wrong elsewhere in the graph: "/run/steps". Left out where that is known to be wrong already.
  void add_at(std::string_view pointer, std::string_view message) {
    if (!mistakes_.has_any_at(pointer)) {
      mistakes_.add(pointer, message);
    }
  }
  /// The stage needs a section that the graph has not.
  void add_missing(std::string_view section);

 private:
  [[nodiscard]] std::string pointer() const;

  const StageEnv& env_;
  const Stage& stage_;
  const Graph* graph_;
  GraphMistakes& mistakes_;
};

/// Checks all stages of a graph but those with a mistake already. `env_of` says what a stage will be opened with.
void check_stages(const Graph& graph, const std::function<StageEnv(const Graph::Vertex&)>& env_of,
                  GraphMistakes& mistakes);

}  // namespace dflash
