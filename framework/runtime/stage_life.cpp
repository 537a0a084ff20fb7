// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/stage_life.h"

#include <ranges>

#include "framework/core/diagnostics.h"
#include "framework/core/error.h"
#include "framework/core/graph_mistakes.h"
#include "framework/core/nearest_name.h"
#include "framework/core/stage_check.h"
#include "framework/device/device.h"
#include "framework/runtime/run_state.h"

namespace dflash {
namespace {

/// What a stage that is open says of itself.
void check_promises(const Stage& stage) {
  if (const auto* buffer = dynamic_cast<const Buffer*>(&stage)) {
    DFLASH_CHECK(buffer->capacity() >= 1, "capacity() says {}, allowed: at least 1", buffer->capacity());
    DFLASH_CHECK(buffer->fewest_ready() >= 1, "fewest_ready() says {}, allowed: at least 1", buffer->fewest_ready());
  }
}

}  // namespace

StageLife::StageLife(Graph& graph, const RunOptions& options) : graph_{&graph}, options_{&options} {}

StageEnv StageLife::env_of(const Graph::Vertex& vertex) const {
  return StageEnv{.name = vertex.name,
                  .device = tensor_device(device_of(vertex, options_->device)),
                  .seed = options_->seed,
                  .steps = options_->steps,
                  .run_dir = options_->run_dir,
                  .resources = options_->resources != nullptr ? options_->resources : &no_resources_,
                  .log = options_->log};
}

void StageLife::check() const {
  Diagnostics diagnostics;
  GraphMistakes mistakes{diagnostics};
  check_stages(*graph_, [this](const Graph::Vertex& vertex) { return env_of(vertex); }, mistakes);
  diagnostics.throw_if_any();
}

void StageLife::open(const std::vector<std::size_t>& order) {
  for (const std::size_t position : order | std::views::reverse) {
    const Graph::Vertex& vertex = graph_->vertices()[position];
    StageEnv& env = envs_.emplace_back(env_of(vertex));
    env.log = env.log != nullptr ? env.log : &own_log_;
    opened_.push_back(vertex.stage.get());
    try {
      vertex.stage->open(env);
      check_promises(*vertex.stage);
    } catch (...) {
      throw current_exception_as_stage_error(vertex.name, "open", 0);
    }
  }
}

void StageLife::load(const Cut& cut) {
  std::vector<std::string> names;
  for (const Graph::Vertex& vertex : graph_->vertices()) {
    names.push_back(vertex.name);
  }
  for (const auto& [name, position] : cut) {
    const Graph::Vertex* vertex = graph_->find(name);
    DFLASH_USER_CHECK(vertex != nullptr, "cannot resume from '{}': it knows a stage '{}', which the graph has not{}",
                      options_->resume_from.string(), name, suggestion(name, names));
    const std::filesystem::path folder = options_->resume_from / name;
    try {
      DFLASH_USER_CHECK(position.outputs.size() == vertex->stage->outputs().size(),
                        "the cut has {} outputs, the stage has {}", position.outputs.size(),
                        vertex->stage->outputs().size());
      DFLASH_USER_CHECK(position.delivered.size() == position.outputs.size(),
                        "the cut counts what was delivered of {} outputs, and has {}", position.delivered.size(),
                        position.outputs.size());
      if (!position.state.empty()) {
        vertex->stage->load(
            {.values = position.state, .folder = std::filesystem::exists(folder) ? folder : std::filesystem::path{}});
      }
    } catch (...) {
      throw current_exception_as_stage_error(name, "load", 0);
    }
  }
}

void StageLife::close() noexcept {
  while (!opened_.empty()) {
    opened_.back()->close();
    opened_.pop_back();
  }
}

}  // namespace dflash
