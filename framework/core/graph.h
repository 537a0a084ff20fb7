// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/core/edge_rules.h"
#include "framework/core/error_policy.h"
#include "framework/core/inject.h"
#include "framework/core/stage.h"

namespace dflash {

/// What every stage takes from the framework besides its own parameters.
struct Placement {
  static constexpr std::int64_t kMostReplicas = 1024;  // each has a thread and, on a device, a stream

  std::int64_t replicas = 1;
  std::string device;  // empty: the run's
  std::string lane;    // empty: a lane shared by all CPU stages
  std::optional<Inject> inject{};
  ErrorPolicy on_error{};
};

struct PlacementMistake {
  const char* key;  // "replicas"
  std::string text;
};

/// What a stage of this type cannot take.
[[nodiscard]] std::vector<PlacementMistake> placement_mistakes(const Placement& placement, const StageInfo& info,
                                                               const Stage& stage);

/// Stages by name and the edges between their ports. Owns the stages. Knows no threads and no JSON.
///
///   Graph graph;
///   auto& data = graph.add<Numbers>("data");
///   auto& sum = graph.add<Sum>("sum");
///   graph.connect(data.out, sum.in, {.items = 8});      // another type does not compile
class Graph {
 public:
  struct Vertex {
    std::string name;
    StageInfo info;
    std::unique_ptr<Stage> stage;
    Placement placement;
  };
  struct Edge {
    std::string name;  // "data.documents->batch.documents"
    OutputPort* from = nullptr;
    InputPort* to = nullptr;
    Capacity capacity;
    EdgeRules rules{};
  };

  /// Adds a stage. T declares `static StageInfo info()`.
  template <class T, class... Args>
  T& add(std::string name, Args&&... args) {
    auto stage = std::make_unique<T>(std::forward<Args>(args)...);
    T& added = *stage;
    add_stage(std::move(name), T::info(), std::move(stage));
    return added;
  }
  /// Adds a stage of a run-time type. Throws UserError where the name is taken.
  Stage& add_stage(std::string name, StageInfo info, std::unique_ptr<Stage> stage, Placement placement = {});

  /// Adds a stage made of a plain function.
  template <class In, class Out, class Function>
  FunctionStage<In, Out, Function>& add_function(std::string name, Function function) {
    auto stage = std::make_unique<FunctionStage<In, Out, Function>>(std::move(function));
    auto& added = *stage;
    add_stage(std::move(name), StageInfo{.type = "function", .summary = "a plain function", .stateless = true},
              std::move(stage));
    return added;
  }

  /// Removes all other stages, and all edges.
  void keep_only(const std::string& name);

  template <class T>
  void connect(const Output<T>& from, const Input<T>& to, Capacity capacity = {}, EdgeRules rules = {}) {
    connect_ports(from, to, capacity, rules);
  }
  /// The same without C++ types. Throws UserError on a type mismatch, an input that has an edge already, or what
  /// `mistake_of` finds.
  void connect_ports(const OutputPort& from, const InputPort& to, Capacity capacity, EdgeRules rules = {});

  [[nodiscard]] const std::vector<Vertex>& vertices() const { return vertices_; }
  [[nodiscard]] const std::vector<Edge>& edges() const { return edges_; }
  [[nodiscard]] const Vertex* find(const std::string& name) const;
  [[nodiscard]] const Vertex& vertex_of(const Stage& stage) const;
  /// Positions in `vertices()`, sources first. Feedback edges are left out; other cycles are refused by `problems`.
  [[nodiscard]] std::vector<std::size_t> topological_order() const;
  /// Everything structurally wrong at once: unconnected inputs, cycles, no source, two stages that drive steps.
  [[nodiscard]] std::vector<std::string> problems() const;
  /// Those of `problems` that are nobody's in particular: `flow_mistakes`, no source, two stages that drive steps,
  /// replicas.
  [[nodiscard]] std::vector<std::string> flow_problems() const;
  /// Allowed, but reported: outputs that no edge takes, and `flow_warnings`.
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  std::vector<Vertex> vertices_;
  std::vector<Edge> edges_;
};

inline constexpr std::string_view kHostDevice = "cpu";

/// The device that a stage works on, where the run's is `run_device`.
[[nodiscard]] std::string device_of(const Graph::Vertex& vertex, const std::string& run_device);

}  // namespace dflash
