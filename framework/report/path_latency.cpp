// SPDX-License-Identifier: Apache-2.0
#include "framework/report/path_latency.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace dflash {
namespace {

template <class Event>
using ByNumber = std::unordered_map<std::int64_t, const Event*>;

/// A firing together with the item that it took on the way.
struct Stop {
  std::size_t stage = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t device_end = 0;  // at least `end`
  std::string came_by;          // the edge or buffer before it; empty: it is a source
};

class PathFinder {
 public:
  explicit PathFinder(const Timeline& timeline);

  [[nodiscard]] std::vector<std::size_t> sinks() const;
  /// The stops before a firing, the source first; empty where the timeline has lost one.
  [[nodiscard]] std::vector<Stop> way_to(std::size_t stage, std::int64_t number) const;

 private:
  struct Taken {
    std::size_t from_stage = 0;
    const ItemEvent* item = nullptr;
    std::string by;
  };

  [[nodiscard]] std::optional<Stop> stop_at(std::size_t stage, std::int64_t number) const;
  /// What the firing took that came last.
  [[nodiscard]] std::optional<Taken> taken_by(std::size_t stage, std::int64_t number) const;

  const Timeline& timeline_;
  std::vector<ByNumber<FiringEvent>> firings_;         // by stage
  std::vector<ByNumber<DeviceEvent>> device_firings_;  // by stage
  std::vector<ByNumber<ItemEvent>> taken_;             // by edge: the item that a firing took
  std::vector<std::vector<std::size_t>> edges_into_;   // by stage
  std::map<std::size_t, ByNumber<ItemEvent>> popped_;  // by stage of a buffer: what a pop gave
};

template <class Event>
ByNumber<Event> by_number(const std::vector<Event>& events, std::int64_t Event::* number) {
  ByNumber<Event> found;
  for (const Event& event : events) {
    found.emplace(event.*number, &event);
  }
  return found;
}

PathFinder::PathFinder(const Timeline& timeline) : timeline_{timeline}, edges_into_(timeline.stages.size()) {
  for (const StageTimeline& stage : timeline.stages) {
    firings_.push_back(by_number(stage.firings, &FiringEvent::number));
    device_firings_.push_back(by_number(stage.device_firings, &DeviceEvent::number));
  }
  for (std::size_t i = 0; i < timeline.edges.size(); ++i) {
    taken_.push_back(by_number(timeline.edges[i].items, &ItemEvent::to_firing));
    edges_into_[timeline.edges[i].to_stage].push_back(i);
  }
  for (const BufferTimeline& buffer : timeline.buffers) {
    popped_[buffer.stage] = by_number(buffer.items, &ItemEvent::to_firing);
  }
}

std::vector<std::size_t> PathFinder::sinks() const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < timeline_.stages.size(); ++i) {
    if (std::ranges::none_of(timeline_.edges, [i](const EdgeTimeline& edge) { return edge.from_stage == i; })) {
      found.push_back(i);
    }
  }
  return found;
}

std::optional<Stop> PathFinder::stop_at(std::size_t stage, std::int64_t number) const {
  const auto firing = firings_[stage].find(number);
  if (number == 0 || firing == firings_[stage].end()) {
    return std::nullopt;
  }
  Stop stop{.stage = stage, .begin = firing->second->begin, .end = firing->second->body_end()};
  const auto work = device_firings_[stage].find(number);
  stop.device_end = work == device_firings_[stage].end() ? stop.end : std::max(stop.end, work->second->end);
  return stop;
}

std::optional<PathFinder::Taken> PathFinder::taken_by(std::size_t stage, std::int64_t number) const {
  std::optional<Taken> last;
  for (const std::size_t edge : edges_into_[stage]) {
    const auto item = taken_[edge].find(number);
    if (item == taken_[edge].end()) {
      return std::nullopt;
    }
    if (!last || item->second->pushed > last->item->pushed) {
      const EdgeTimeline& row = timeline_.edges[edge];
      last = {.from_stage = row.from_stage, .item = item->second, .by = row.name};
    }
  }
  return last;
}

std::vector<Stop> PathFinder::way_to(std::size_t stage, std::int64_t number) const {
  std::vector<Stop> way;
  for (std::size_t passed = 0; passed < timeline_.stages.size(); ++passed) {  // a loop would go round
    std::optional<Stop> stop = stop_at(stage, number);
    if (!stop) {
      return {};
    }
    const auto buffer = popped_.find(stage);
    if (buffer != popped_.end()) {  // a pop: the way goes on from the put of the same item
      way.push_back(*stop);
      const auto item = buffer->second.find(number);
      number = item == buffer->second.end() ? 0 : item->second->from_firing;
      way.back().came_by = timeline_.stages[stage].name;
      stop = stop_at(stage, number);
      if (!stop) {
        return {};
      }
    }
    way.push_back(*stop);
    if (edges_into_[stage].empty()) {
      std::ranges::reverse(way);
      return way;
    }
    const std::optional<Taken> taken = taken_by(stage, number);
    if (!taken) {
      return {};
    }
    way.back().came_by = taken->by;
    stage = taken->from_stage;
    number = taken->item->from_firing;
  }
  return {};
}

/// The parts of a way, of which those of one name stand in one place in all ways alike.
std::vector<PathPart> parts_of(const Timeline& timeline, const std::vector<Stop>& way) {
  std::vector<PathPart> parts;
  const auto add = [&](PathPart::Kind kind, const std::string& name, std::int64_t ns) {
    parts.push_back({.kind = kind, .name = name, .mean_ns = static_cast<double>(std::max<std::int64_t>(ns, 0))});
  };
  for (std::size_t i = 0; i < way.size(); ++i) {
    const std::string& name = timeline.stages[way[i].stage].name;
    if (i > 0) {
      add(PathPart::Kind::kWaiting, way[i].came_by, way[i].begin - std::min(way[i - 1].device_end, way[i].begin));
    }
    add(PathPart::Kind::kFiring, name, way[i].end - way[i].begin);
    const std::int64_t until = i + 1 < way.size() ? way[i + 1].begin : way[i].device_end;
    add(PathPart::Kind::kDevice, name, std::min(way[i].device_end, until) - way[i].end);
  }
  return parts;
}

void add_way(PathLatency& path, const Timeline& timeline, const std::vector<Stop>& way) {
  const std::vector<PathPart> parts = parts_of(timeline, way);
  if (path.parts.empty()) {
    path.parts = parts;
    for (const Stop& stop : way) {
      const std::string& name = timeline.stages[stop.stage].name;
      if (path.stages.empty() || path.stages.back() != name) {  // a buffer stands there with its put and its pop
        path.stages.push_back(name);
      }
    }
  } else {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      path.parts[i].mean_ns += parts[i].mean_ns;
    }
  }
  path.total.record(way.back().device_end - way.front().begin);
}

}  // namespace

std::vector<PathLatency> path_latencies(const Timeline& timeline) {
  const PathFinder finder{timeline};
  std::map<std::vector<std::string>, PathLatency> paths;
  for (const std::size_t sink : finder.sinks()) {
    for (const FiringEvent& firing : timeline.stages[sink].firings) {
      const std::vector<Stop> way = finder.way_to(sink, firing.number);
      if (way.size() > 1) {
        std::vector<std::string> key{timeline.stages[sink].name};
        std::ranges::transform(way, std::back_inserter(key), &Stop::came_by);
        add_way(paths[key], timeline, way);
      }
    }
  }
  std::vector<PathLatency> found;
  for (auto& [key, path] : paths) {
    std::erase_if(path.parts,
                  [](const PathPart& part) { return part.kind == PathPart::Kind::kDevice && part.mean_ns == 0.0; });
    for (PathPart& part : path.parts) {
      part.mean_ns /= static_cast<double>(path.total.count());
    }
    found.push_back(std::move(path));
  }
  std::ranges::stable_sort(found, std::ranges::greater{}, [](const PathLatency& path) { return path.total.count(); });
  return found;
}

}  // namespace dflash
