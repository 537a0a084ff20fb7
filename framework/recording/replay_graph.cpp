// SPDX-License-Identifier: Apache-2.0
#include "framework/recording/replay_graph.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "framework/core/error.h"
#include "framework/core/nearest_name.h"
#include "framework/recording/item_recorder.h"
#include "framework/recording/recorded_source.h"

namespace dflash {
namespace {

/// An input of the stage, and what it had been fed by.
struct Fed {
  const InputPort* input = nullptr;
  std::string producer;
  std::string port;
  Capacity capacity;

  [[nodiscard]] std::string recorded() const { return fmt::format("{}.{}", producer, port); }
};

const Graph::Vertex& find_stage(const Graph& graph, const std::string& name) {
  std::vector<std::string> names;
  for (const Graph::Vertex& vertex : graph.vertices()) {
    names.push_back(vertex.name);
  }
  const Graph::Vertex* found = graph.find(name);
  DFLASH_USER_CHECK(found != nullptr, "the graph has no stage '{}'{}", name, suggestion(name, names));
  DFLASH_USER_CHECK(!found->stage->inputs().empty(),
                    "stage '{}' has no inputs, so there is nothing to replay; allowed: a stage that takes items", name);
  return *found;
}

std::vector<Fed> inputs_of(const Graph& graph, const Graph::Vertex& vertex) {
  std::vector<Fed> inputs;
  for (const InputPort* input : vertex.stage->inputs()) {
    const auto edge = std::ranges::find(graph.edges(), input, &Graph::Edge::to);
    DFLASH_CHECK(edge != graph.edges().end(), "input '{}.{}' has no edge", vertex.name, input->name());
    DFLASH_USER_CHECK(!edge->rules.feedback, "stage '{}' cannot be replayed: edge '{}' leads back to it", vertex.name,
                      edge->name);
    inputs.push_back({.input = input,
                      .producer = graph.vertex_of(edge->from->stage()).name,
                      .port = edge->from->name(),
                      .capacity = edge->capacity});
  }
  return inputs;
}

/// The recordings of all that is given, by their ports; the first of a port counts.
class Recordings {
 public:
  explicit Recordings(const std::vector<std::filesystem::path>& from) : from_{from} {
    for (const std::filesystem::path& path : from) {
      DFLASH_USER_CHECK(std::filesystem::exists(path), "there is no run directory or recording '{}'", path.string());
      if (std::filesystem::is_directory(path)) {
        continue;  // looked into by name
      }
      files_.emplace_back(path);
    }
  }

  [[nodiscard]] Recording of(const Fed& fed, const std::string& stage) const {
    for (const Recording& recording : files_) {
      if (recording.port().port == fed.recorded()) {
        return recording;
      }
    }
    for (const std::filesystem::path& path : from_) {
      const std::filesystem::path file = ItemRecorder::file_in(path, fed.recorded());
      if (std::filesystem::is_directory(path) && std::filesystem::exists(file)) {
        return Recording{file};
      }
    }
    throw UserError(
        fmt::format("input '{}.{}' takes what '{}' gives, which is recorded in none of {}; to record it: run with "
                    "--record {}",
                    stage, fed.input->name(), fed.recorded(), text(), fed.recorded()));
  }

 private:
  /// What was looked at, and for files what they hold.
  [[nodiscard]] std::string text() const {
    std::vector<std::string> words;
    for (const std::filesystem::path& path : from_) {
      words.push_back(fmt::format("'{}'", path.string()));
    }
    for (const Recording& recording : files_) {
      words.push_back(fmt::format("(recorded there: {})", recording.port().port));
    }
    return fmt::format("{}", fmt::join(words, ", "));
  }

  const std::vector<std::filesystem::path>& from_;
  std::vector<Recording> files_;
};

std::string free_name(const Graph& graph, std::string name) {
  while (graph.find(name) != nullptr) {
    name += '_';
  }
  return name;
}

void check_recording(const Recording& recording, const Fed& fed) {
  const std::string_view type = fed.input->type().name;
  DFLASH_USER_CHECK(recording.port().type == type, "'{}' holds items of type '{}', but '{}' gives '{}'",
                    recording.file().string(), recording.port().type, fed.recorded(), type);
  DFLASH_USER_CHECK(fed.input->type().deserialize != nullptr,
                    "items of type '{}' cannot be replayed: the type offers no 'deserialize'", type);
  DFLASH_USER_CHECK(recording.size() > 0, "'{}' holds no item", recording.file().string());
}

}  // namespace

ReplayInputs keep_for_replay(Graph& graph, const ReplayRequest& request) {
  const std::vector<Fed> inputs = inputs_of(graph, find_stage(graph, request.stage));
  const Recordings recordings{request.from};
  ReplayInputs found;
  std::vector<std::unique_ptr<RecordedSource>> sources;
  for (const Fed& fed : inputs) {
    Recording recording = recordings.of(fed, request.stage);
    check_recording(recording, fed);
    found.files.push_back(recording.file());
    if (!recording.is_whole()) {
      found.warnings.push_back(fmt::format("'{}' is {}", recording.file().string(), recording.extent()));
    }
    sources.push_back(
        std::make_unique<RecordedSource>(std::move(recording), fed.port, fed.input->type(), request.rounds));
  }
  graph.keep_only(request.stage);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const OutputPort& items = sources[i]->items;
    graph.add_stage(free_name(graph, inputs[i].producer), RecordedSource::info(), std::move(sources[i]));
    graph.connect_ports(items, *inputs[i].input, inputs[i].capacity);
  }
  return found;
}

}  // namespace dflash
