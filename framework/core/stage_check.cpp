// SPDX-License-Identifier: Apache-2.0
#include "framework/core/stage_check.h"

#include <algorithm>

#include <fmt/format.h>

#include "framework/core/error.h"
#include "framework/core/json_spot.h"

namespace dflash {

std::string StageCheck::pointer() const { return pointer_to("/stages", env_.name); }

void StageCheck::add(const ParamBase& param, std::string_view message) {
  mistakes_.add(pointer() + "/params", param, message);
}

void StageCheck::require_ascending(const Param<std::vector<std::int64_t>>& param) {
  const std::vector<std::int64_t>& numbers = param();
  const bool ascend = std::ranges::adjacent_find(numbers, std::greater_equal<>{}) == numbers.end();
  if (!ascend || (!numbers.empty() && numbers.front() < 1)) {
    add(param, found_text(param.value_json(), "numbers from 1 on that ascend"));
  }
}

std::string StageCheck::place_clause(const ParamBase& param) const {
  const std::string place = mistakes_.place_of(param_pointer(pointer() + "/params", param));
  return place.empty() || !param.is_set() ? "" : fmt::format(" ({})", place);
}

void StageCheck::add_missing(std::string_view section) {
  const std::string_view outermost = section.substr(0, section.find('.'));
  if (!mistakes_.has_any_at(pointer_to("", outermost))) {
    mistakes_.add(pointer(), fmt::format("needs the section {}, which the graph has not", section));
  }
}

std::vector<const Graph::Vertex*> StageCheck::upstream() const {
  std::vector<const Graph::Vertex*> found;
  if (graph_ == nullptr) {
    return found;
  }
  std::vector<const Stage*> reached{&stage_};
  for (std::size_t next = 0; next < reached.size(); ++next) {
    for (const Graph::Edge& edge : graph_->edges()) {
      const Stage* from = &edge.from->stage();
      if (&edge.to->stage() == reached[next] && std::ranges::find(reached, from) == reached.end()) {
        reached.push_back(from);
        found.push_back(&graph_->vertex_of(*from));
      }
    }
  }
  return found;
}

void check_stages(const Graph& graph, const std::function<StageEnv(const Graph::Vertex&)>& env_of,
                  GraphMistakes& mistakes) {
  for (const Graph::Vertex& vertex : graph.vertices()) {
    if (!mistakes.has_any_at(pointer_to("/stages", vertex.name))) {
      const StageEnv env = env_of(vertex);
      StageCheck check{env, *vertex.stage, &graph, mistakes};
      try {
        vertex.stage->check(check);
      } catch (const UserError& error) {
        mistakes.add(pointer_to("/stages", vertex.name), error.what());
      }
    }
  }
}

}  // namespace dflash
