// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/run_network.h"

#include <algorithm>
#include <ranges>

#include "framework/runtime/buffer_driver.h"
#include "framework/runtime/make_driver.h"

namespace dflash {

RunNetwork::RunNetwork(const Graph& graph, const std::vector<std::size_t>& order, RunState& run, RunDevices& devices)
    : graph_{&graph}, order_{order}, run_{&run}, leads_to_steps_(graph.vertices().size()) {
  for (const Graph::Vertex& vertex : graph.vertices()) {
    drivers_.push_back(make_driver(vertex, run, devices.of(vertex)));
    if (vertex.info.drives_steps) {
      step_driver_ = drivers_.back().get();
    }
  }
  wire(graph);
  if (step_driver_ != nullptr) {
    find_steps(graph);
  }
}

std::size_t RunNetwork::position_of(const Stage& stage) const {
  return static_cast<std::size_t>(&graph_->vertex_of(stage) - graph_->vertices().data());
}

void RunNetwork::wire(const Graph& graph) {
  for (const Graph::Edge& edge : graph.edges()) {
    EdgeQueue& queue = edges_.emplace_back(edge, run_->instrument());
    StageDriver& producer = *drivers_[position_of(edge.from->stage())];
    producer.add_output(queue, edges_.size() - 1, *edge.from, *drivers_[position_of(edge.to->stage())]);
  }
  for (const auto& driver : drivers_) {
    for (const InputPort* port : driver->stage().inputs()) {
      const auto edge = std::ranges::find(graph.edges(), port, &Graph::Edge::to);
      const auto index = static_cast<std::size_t>(edge - graph.edges().begin());
      driver->add_input(edges_[index], index, *drivers_[position_of(edge->from->stage())], edge->rules.feedback);
    }
  }
}

void RunNetwork::find_steps(const Graph& graph) {
  const std::size_t step = position_of(step_driver_->stage());
  leads_to_steps_[step] = true;
  for (const std::size_t position : order_ | std::views::reverse) {
    for (const Graph::Edge& edge : graph.edges()) {
      const bool is_forward = !edge.rules.feedback;
      if (is_forward && position_of(edge.from->stage()) == position && leads_to_steps_[position_of(edge.to->stage())]) {
        leads_to_steps_[position] = true;
      }
    }
  }
  std::vector<bool> after(drivers_.size());
  after[step] = true;
  for (const std::size_t position : order_) {
    if (graph.vertices()[position].info.outlives_steps) {
      after[position] = true;
      drivers_[position]->set_after_steps();
    }
    for (const Graph::Edge& edge : graph.edges()) {
      const bool is_forward = !edge.rules.feedback;
      if (is_forward && position_of(edge.to->stage()) == position && after[position_of(edge.from->stage())]) {
        after[position] = true;
        drivers_[position]->set_after_steps();
      }
    }
  }
}

void RunNetwork::start(const Cut& cut) {
  for (const auto& [name, position] : cut) {
    drivers_[static_cast<std::size_t>(graph_->find(name) - graph_->vertices().data())]->resume(position);
  }
  start_origins(cut);
  started_at_ = run_->now();
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    const InputPort& port = *graph_->edges()[i].to;
    const auto consumer = cut.find(graph_->vertex_of(port.stage()).name);
    const bool knows_input = consumer != cut.end() && port.index() < consumer->second.inputs.size();
    edges_[i].start(started_at_, knows_input ? consumer->second.inputs[port.index()] : 0);
  }
  for (const auto& driver : drivers_) {
    driver->start(started_at_);
  }
}

/// Only what leads to the step stage is ever part of a cut.
void RunNetwork::start_origins(const Cut& cut) {
  for (const std::size_t position : order_) {
    if (!leads_to_steps_[position]) {
      continue;
    }
    StageDriver& driver = *drivers_[position];
    std::vector<OriginPointer> producers;
    for (const InputPort* port : driver.stage().inputs()) {
      const auto edge = std::ranges::find(graph_->edges(), port, &Graph::Edge::to);
      producers.push_back(drivers_[position_of(edge->from->stage())]->origins().last());
    }
    const auto resumed = cut.find(driver.vertex().name);
    driver.origins().start(std::move(producers), resumed != cut.end() ? &resumed->second : nullptr);
  }
}

void RunNetwork::place(Lanes& lanes) {
  for (std::size_t i = 0; i < drivers_.size(); ++i) {
    lanes.attach(i, *drivers_[i]);
    drivers_[i]->place(lanes, i);
  }
}

void RunNetwork::wake_all() {
  for (const std::size_t position : order_ | std::views::reverse) {
    drivers_[position]->wake();
  }
}

std::string RunNetwork::fill_text() {
  std::vector<std::string> full;
  std::vector<std::string> empty;
  for (EdgeQueue& edge : edges_) {
    const std::int64_t size = edge.size();
    if (size == 0) {
      empty.push_back(edge.name());
    } else if (size >= edge.capacity().items) {
      full.push_back(edge.name());
    }
  }
  const auto joined = [](const std::vector<std::string>& names) {
    return names.empty() ? "none" : fmt::format("'{}'", fmt::join(names, "', '"));
  };
  return fmt::format("Full edges: {}; empty ones: {}", joined(full), joined(empty));
}

void RunNetwork::settle() const {
  for (const auto& driver : drivers_) {
    driver->settle();
  }
}

bool RunNetwork::has_ended() const {
  return std::ranges::all_of(drivers_, [](const auto& driver) { return driver->has_ended(); });
}

std::string RunNetwork::waiting_stages() const {
  std::vector<std::string> lines;
  for (const std::size_t position : order_) {
    StageDriver& driver = *drivers_[position];
    if (!driver.has_ended()) {
      lines.push_back(fmt::format("stage '{}' waits for {}", driver.vertex().name, driver.waits_for()));
    }
  }
  return fmt::format("{}", fmt::join(lines, "; "));
}

/// Who waits, waits for one stage, so a walk from anywhere runs into a circle, or ends at a stage that waits for none.
std::vector<StageDriver*> RunNetwork::waiting_circle() const {
  for (const auto& start : drivers_) {
    std::vector<StageDriver*> walk;
    StageDriver* at = start.get();
    while (at != nullptr && !at->has_ended()) {
      const auto seen = std::ranges::find(walk, at);
      if (seen != walk.end()) {
        return {seen, walk.end()};
      }
      walk.push_back(at);
      at = at->waits_on();
    }
  }
  return {};
}

std::string RunNetwork::deadlock_text() const {
  const std::vector<StageDriver*> circle = waiting_circle();
  std::string text;
  for (StageDriver* driver : circle) {
    text += fmt::format("{}'{}' waits for {}", text.empty() ? "" : " -> ", driver->vertex().name, driver->waits_for());
  }
  if (!circle.empty()) {
    text = fmt::format("the stages wait for each other: {} -> '{}'. In all: ", text, circle.front()->vertex().name);
  }
  return text + waiting_stages();
}

std::vector<std::size_t> RunNetwork::ranks() const {
  std::vector<std::size_t> rank(drivers_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) {
    rank[order_[i]] = i;
  }
  return rank;
}

void RunNetwork::write(LiveView& view, std::int64_t now) {
  const std::vector<std::size_t> rank = ranks();
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    const Graph::Edge& edge = graph_->edges()[i];
    LiveEdge& row = view.edges.emplace_back(edges_[i].live());
    row.from_stage = rank[position_of(edge.from->stage())];
    row.to_stage = rank[position_of(edge.to->stage())];
  }
  for (const std::size_t position : order_) {
    const StageDriver& driver = *drivers_[position];
    view.stages.push_back(driver.live(now));
    if (const auto* buffer = dynamic_cast<const BufferDriver*>(&driver)) {
      LiveEdge& row = view.edges.emplace_back(buffer->live_content());
      row.from_stage = rank[position];
      row.to_stage = rank[position];
    }
  }
}

void RunNetwork::write(Timeline& timeline, const Lanes& lanes, std::int64_t now) {
  const std::vector<std::size_t> rank = ranks();
  for (const std::size_t position : order_) {
    const StageDriver& driver = *drivers_[position];
    StageTimeline& stage = timeline.stages.emplace_back(driver.timeline());
    stage.lane = lanes.lane_name(position);
    stage.makes_steps = &driver == step_driver_;
    if (const auto* buffer = dynamic_cast<const BufferDriver*>(&driver)) {
      timeline.buffers.push_back(buffer->content(now));
      timeline.buffers.back().stage = rank[position];
    }
  }
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    const Graph::Edge& edge = graph_->edges()[i];
    EdgeTimeline& row = timeline.edges.emplace_back(edges_[i].timeline(now));
    row.from_stage = rank[position_of(edge.from->stage())];
    row.to_stage = rank[position_of(edge.to->stage())];
  }
}

void RunNetwork::write(RunRecord& record, const Lanes& lanes) {
  const std::int64_t now = run_->now();
  record.wall_ns = now - started_at_;
  const std::vector<std::size_t> rank = ranks();
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    const Graph::Edge& edge = graph_->edges()[i];
    EdgeRecord& row = record.edges.emplace_back(edges_[i].record(now));
    row.from_stage = rank[position_of(edge.from->stage())];
    row.to_stage = rank[position_of(edge.to->stage())];
  }
  for (const std::size_t position : order_) {
    StageDriver& driver = *drivers_[position];
    const std::size_t rows = record.edges.size();
    driver.finish(now, record.edges);
    if (record.edges.size() > rows) {
      record.edges.back().from_stage = rank[position];
      record.edges.back().to_stage = rank[position];
    }
    record.stages.push_back(driver.record(record.wall_ns));
    record.stages.back().lane = lanes.lane_name(position);
  }
  record.lanes = lanes.records();
}

}  // namespace dflash
