// SPDX-License-Identifier: Apache-2.0
#include "framework/report/timeline_json.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/json_syntax.h"
#include "framework/report/sound_timeline.h"

namespace dflash {
namespace {

template <class Event>
struct Column {
  const char* name;
  std::int64_t Event::* member;
};

constexpr std::array kFiringColumns{
    Column<FiringEvent>{"number", &FiringEvent::number},   Column<FiringEvent>{"slot", &FiringEvent::slot},
    Column<FiringEvent>{"free", &FiringEvent::free},       Column<FiringEvent>{"ready", &FiringEvent::ready},
    Column<FiringEvent>{"begin", &FiringEvent::begin},     Column<FiringEvent>{"end", &FiringEvent::end},
    Column<FiringEvent>{"starved", &FiringEvent::starved}, Column<FiringEvent>{"blocked", &FiringEvent::blocked},
    Column<FiringEvent>{"between", &FiringEvent::between}};
constexpr std::array kDeviceColumns{
    Column<DeviceEvent>{"number", &DeviceEvent::number}, Column<DeviceEvent>{"slot", &DeviceEvent::slot},
    Column<DeviceEvent>{"queued", &DeviceEvent::queued}, Column<DeviceEvent>{"begin", &DeviceEvent::begin},
    Column<DeviceEvent>{"end", &DeviceEvent::end},       Column<DeviceEvent>{"seen", &DeviceEvent::seen},
    Column<DeviceEvent>{"hidden", &DeviceEvent::hidden}, Column<DeviceEvent>{"lag", &DeviceEvent::lag}};
constexpr std::array kSpanColumns{
    Column<SpanEvent>{"number", &SpanEvent::number}, Column<SpanEvent>{"slot", &SpanEvent::slot},
    Column<SpanEvent>{"name", &SpanEvent::name}, Column<SpanEvent>{"begin", &SpanEvent::begin},
    Column<SpanEvent>{"end", &SpanEvent::end}};
constexpr std::array kItemColumns{Column<ItemEvent>{"seq", &ItemEvent::seq},
                                  Column<ItemEvent>{"from_firing", &ItemEvent::from_firing},
                                  Column<ItemEvent>{"to_firing", &ItemEvent::to_firing},
                                  Column<ItemEvent>{"pushed", &ItemEvent::pushed},
                                  Column<ItemEvent>{"popped", &ItemEvent::popped},
                                  Column<ItemEvent>{"bytes", &ItemEvent::bytes}};
constexpr std::array kStepColumns{Column<StepEvent>{"step", &StepEvent::step}, Column<StepEvent>{"at", &StepEvent::at}};
constexpr std::array kUsageColumns{Column<UsageEvent>{"at", &UsageEvent::at},
                                   Column<UsageEvent>{"memory_bytes", &UsageEvent::memory_bytes},
                                   Column<UsageEvent>{"allocations", &UsageEvent::allocations},
                                   Column<UsageEvent>{"frees", &UsageEvent::frees},
                                   Column<UsageEvent>{"maps", &UsageEvent::maps},
                                   Column<UsageEvent>{"unmaps", &UsageEvent::unmaps},
                                   Column<UsageEvent>{"host_waits", &UsageEvent::host_waits}};

template <class Event, std::size_t N>
Json table(const std::vector<Event>& events, const std::array<Column<Event>, N>& columns) {
  Json json = Json::object();
  for (const Column<Event>& column : columns) {
    Json values = Json::array();
    values.get_ref<Json::array_t&>().reserve(events.size());
    for (const Event& event : events) {
      values.push_back(event.*column.member);
    }
    json[column.name] = std::move(values);
  }
  return json;
}

/// Reads the parts of one file, in words for its user.
class Reader {
 public:
  explicit Reader(const std::string& file) : file_{file} {}

  template <class Event, std::size_t N>
  std::vector<Event> events(const Json& json, const std::array<Column<Event>, N>& columns) const {
    std::vector<Event> events(json.at(columns.front().name).size());
    for (const Column<Event>& column : columns) {
      const Json& values = json.at(column.name);
      DFLASH_USER_CHECK(values.is_array() && values.size() == events.size(),
                        "'{}' is damaged: column '{}' has another length than '{}'", file_, column.name,
                        columns.front().name);
      for (std::size_t i = 0; i < events.size(); ++i) {
        events[i].*column.member = number(values[i]);
      }
    }
    return events;
  }

  [[nodiscard]] std::size_t stage(const Json& json, const std::vector<StageTimeline>& stages) const {
    const std::int64_t index = number(json);
    DFLASH_USER_CHECK(index >= 0 && index < static_cast<std::int64_t>(stages.size()),
                      "'{}' is damaged: it names stage {} of {}", file_, index, stages.size());
    return static_cast<std::size_t>(index);
  }

  /// A hundred days, forwards or backwards, and the greatest number that JSON keeps exactly: sums of two never
  /// overflow.
  [[nodiscard]] std::int64_t number(const Json& json) const {
    constexpr std::int64_t kMost = std::int64_t{1} << 53;
    const std::int64_t value = whole_number(json);
    DFLASH_USER_CHECK(value >= -kMost && value <= kMost, "'{}' is damaged: found {}, allowed: at most 2^53", file_,
                      value);
    return value;
  }

 private:
  const std::string& file_;
};

Json stage_json(const StageTimeline& stage) {
  return {{"name", stage.name},
          {"lane", stage.lane},
          {"device", stage.device},
          {"slots", stage.slots},
          {"makes_steps", stage.makes_steps},
          {"firings", table(stage.firings, kFiringColumns)},
          {"device_firings", table(stage.device_firings, kDeviceColumns)},
          {"span_names", stage.span_names},
          {"spans", table(stage.spans, kSpanColumns)},
          {"device_spans", table(stage.device_spans, kSpanColumns)},
          {"lost", stage.lost},
          {"whole_since", stage.whole_since}};
}

std::vector<SpanEvent> read_spans(const Reader& reader, const Json& json, const std::vector<std::string>& names,
                                  const std::string& file) {
  std::vector<SpanEvent> spans = reader.events(json, kSpanColumns);
  for (const SpanEvent& span : spans) {
    DFLASH_USER_CHECK(span.name >= 0 && span.name < static_cast<std::int64_t>(names.size()),
                      "'{}' is damaged: it names span {} of {}", file, span.name, names.size());
  }
  return spans;
}

StageTimeline read_stage(const Reader& reader, const Json& json, const std::string& file) {
  StageTimeline stage{.name = json.at("name").get<std::string>(),
                      .lane = json.at("lane").get<std::string>(),
                      .device = json.at("device").get<std::string>(),
                      .slots = reader.number(json.at("slots")),
                      .makes_steps = json.at("makes_steps").get<bool>(),
                      .firings = reader.events(json.at("firings"), kFiringColumns),
                      .device_firings = reader.events(json.at("device_firings"), kDeviceColumns),
                      .span_names = json.at("span_names").get<std::vector<std::string>>(),
                      .lost = reader.number(json.at("lost"))};
  stage.whole_since = reader.number(json.at("whole_since"));
  stage.spans = read_spans(reader, json.at("spans"), stage.span_names, file);
  stage.device_spans = read_spans(reader, json.at("device_spans"), stage.span_names, file);
  return stage;
}

Json edge_json(const EdgeTimeline& edge) {
  return {{"name", edge.name},         {"from_stage", edge.from_stage},
          {"to_stage", edge.to_stage}, {"capacity_items", edge.capacity_items},
          {"blocks", edge.blocks},     {"items", table(edge.items, kItemColumns)},
          {"lost", edge.lost}};
}

Json buffer_json(const BufferTimeline& buffer) {
  return {{"stage", buffer.stage},
          {"capacity_items", buffer.capacity_items},
          {"min_ready", buffer.min_ready},
          {"items", table(buffer.items, kItemColumns)},
          {"lost", buffer.lost}};
}

void read_structure(const Reader& reader, const Json& json, Timeline& timeline) {
  for (const Json& edge : json.at("edges")) {
    timeline.edges.push_back({.name = edge.at("name").get<std::string>(),
                              .from_stage = reader.stage(edge.at("from_stage"), timeline.stages),
                              .to_stage = reader.stage(edge.at("to_stage"), timeline.stages),
                              .capacity_items = reader.number(edge.at("capacity_items")),
                              .blocks = edge.at("blocks").get<bool>(),
                              .items = reader.events(edge.at("items"), kItemColumns),
                              .lost = reader.number(edge.at("lost"))});
  }
  for (const Json& buffer : json.at("buffers")) {
    timeline.buffers.push_back({.stage = reader.stage(buffer.at("stage"), timeline.stages),
                                .capacity_items = reader.number(buffer.at("capacity_items")),
                                .min_ready = reader.number(buffer.at("min_ready")),
                                .items = reader.events(buffer.at("items"), kItemColumns),
                                .lost = reader.number(buffer.at("lost"))});
  }
  for (const Json& device : json.at("devices")) {
    timeline.devices.push_back(
        {.name = device.at("name").get<std::string>(), .usage = reader.events(device.at("usage"), kUsageColumns)});
  }
  for (const Json& lane : json.at("lanes")) {
    timeline.lanes.push_back(
        {.name = lane.at("name").get<std::string>(), .workers = reader.number(lane.at("workers"))});
  }
}

}  // namespace

Json timeline_json(const Timeline& timeline) {
  Json json{{"schema", kTimelineSchema},        {"wall_ns", timeline.wall_ns},
            {"stages", Json::array()},          {"edges", Json::array()},
            {"buffers", Json::array()},         {"devices", Json::array()},
            {"lanes", Json::array()},           {"steps", table(timeline.steps, kStepColumns)},
            {"steps_lost", timeline.steps_lost}};
  for (const StageTimeline& stage : timeline.stages) {
    json["stages"].push_back(stage_json(stage));
  }
  for (const EdgeTimeline& edge : timeline.edges) {
    json["edges"].push_back(edge_json(edge));
  }
  for (const BufferTimeline& buffer : timeline.buffers) {
    json["buffers"].push_back(buffer_json(buffer));
  }
  for (const DeviceTimeline& device : timeline.devices) {
    json["devices"].push_back({{"name", device.name}, {"usage", table(device.usage, kUsageColumns)}});
  }
  for (const LaneRecord& lane : timeline.lanes) {
    json["lanes"].push_back({{"name", lane.name}, {"workers", lane.workers}});
  }
  return json;
}

Timeline read_timeline(const Json& json, const std::string& file) {
  return read_written(json, file, [&](const Json& object) {
    const std::string schema = object.at("schema").get<std::string>();
    DFLASH_USER_CHECK(schema == kTimelineSchema, "'{}': found schema '{}', allowed: '{}'", file, schema,
                      kTimelineSchema);
    const Reader reader{file};
    Timeline timeline{.wall_ns = reader.number(object.at("wall_ns"))};
    for (const Json& stage : object.at("stages")) {
      timeline.stages.push_back(read_stage(reader, stage, file));
    }
    read_structure(reader, object, timeline);
    timeline.steps = reader.events(object.at("steps"), kStepColumns);
    timeline.steps_lost = reader.number(object.at("steps_lost"));
    require_sound(timeline, file);
    return timeline;
  });
}

}  // namespace dflash
