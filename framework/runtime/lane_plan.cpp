// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/lane_plan.h"

#include <algorithm>
#include <optional>
#include <set>

namespace dflash {
namespace {

std::optional<std::size_t> producer_of(const Graph& graph, const Stage& stage) {
  for (const Graph::Edge& edge : graph.edges()) {
    if (!stage.inputs().empty() && edge.to == stage.inputs()[0]) {
      return static_cast<std::size_t>(&graph.vertex_of(edge.from->stage()) - graph.vertices().data());
    }
  }
  return std::nullopt;
}

}  // namespace

LanePlan plan_lanes(const Graph& graph, const std::vector<std::size_t>& order, const std::string& device) {
  const auto& vertices = graph.vertices();
  std::vector<std::string> lane_names(vertices.size());
  std::vector<std::string> common_lanes;
  std::set<std::string> device_lanes;
  for (const std::size_t position : order) {
    const Graph::Vertex& vertex = vertices[position];
    const std::string works_on = device_of(vertex, device);
    const bool is_on_host = works_on == kHostDevice;
    const std::string own = is_on_host ? works_on : works_on + " " + vertex.name;
    lane_names[position] = vertex.placement.lane.empty() ? own : vertex.placement.lane;
    if (!is_on_host) {
      device_lanes.insert(lane_names[position]);
    }
    const std::optional<std::size_t> producer = producer_of(graph, *vertex.stage);
    if (!producer || !vertex.stage->shares_producers_lane()) {
      continue;
    }
    std::string& lane = lane_names[*producer];
    if (std::ranges::find(common_lanes, lane) == common_lanes.end()) {
      lane = "lane of " + vertices[*producer].name;
      if (device_of(vertices[*producer], device) != kHostDevice) {
        device_lanes.insert(lane);
      }
      common_lanes.push_back(lane);
    }
    lane_names[position] = lane;
  }
  LanePlan plan;
  plan.lanes.push_back({.name = "cpu"});
  plan.lane_of.resize(vertices.size());
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    auto found = std::ranges::find(plan.lanes, lane_names[i], &LanePlan::Lane::name);
    if (found == plan.lanes.end()) {
      found = plan.lanes.insert(plan.lanes.end(), {.name = lane_names[i]});
    }
    ++found->stages;
    plan.lane_of[i] = static_cast<std::size_t>(found - plan.lanes.begin());
  }
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    plan.first_slot.push_back(plan.lane_of.size());
    const std::int64_t slots = vertices[i].placement.replicas > 1 ? vertices[i].placement.replicas : 0;
    plan.lane_of.insert(plan.lane_of.end(), static_cast<std::size_t>(slots), plan.lane_of[i]);
    plan.lanes[plan.lane_of[i]].stages += slots;
  }
  for (LanePlan::Lane& lane : plan.lanes) {
    const bool is_common = std::ranges::find(common_lanes, lane.name) != common_lanes.end();
    lane.has_own_thread = device_lanes.contains(lane.name);
    lane.workers = is_common || lane.has_own_thread ? 1 : std::max<std::int64_t>(lane.stages, 1);
  }
  return plan;
}

}  // namespace dflash
