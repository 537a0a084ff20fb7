// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/plan_check.h"

#include <algorithm>

#include <fmt/format.h>

#include "framework/core/error.h"
#include "framework/core/json_spot.h"
#include "framework/core/stage_check.h"
#include "framework/device/device.h"
#include "framework/runtime/run_devices.h"

namespace dflash {
namespace {

/// The device under its own name, or the CPU where it cannot be had, which is a mistake.
std::string had_device(const Application& application, const std::string& device, const std::string& pointer,
                       GraphMistakes& mistakes) {
  if (mistakes.has_any_at(pointer)) {
    return "cpu";
  }
  try {
    return application.resolve_device ? application.resolve_device(device) : device;
  } catch (const UserError& error) {
    mistakes.add(pointer, error.what());
    return "cpu";
  }
}

// Resources are the run's, and on its device.
void check_stage_device(const Application& application, const RunPlan& plan, const Graph::Vertex& vertex,
                        GraphMistakes& mistakes) {
  const std::string pointer = pointer_to("/stages", vertex.name) + "/device";
  const std::string device = had_device(application, vertex.placement.device, pointer, mistakes);
  if (device != plan.device && !mistakes.has_any_at(pointer) && !mistakes.has_any_at("/run/device")) {
    mistakes.add(pointer, fmt::format("found \"{}\", allowed: \"{}\", which the run computes on; stages on a device of "
                                      "their own are not supported in this version",
                                      device, plan.device));
  }
}

}  // namespace

void check_plan(const Application& application, RunPlan& plan, RunEnv env, Resources& resources,
                Diagnostics& diagnostics) {
  GraphMistakes mistakes{diagnostics, plan.document};
  plan.device = had_device(application, plan.device, "/run/device", mistakes);
  for (const Graph::Vertex& vertex : plan.graph.vertices()) {
    if (!vertex.placement.device.empty() && vertex.info.uses_device) {
      check_stage_device(application, plan, vertex, mistakes);
    }
    if (has_device_delay(vertex) && device_of(vertex, plan.device) == kHostDevice) {
      mistakes.add(pointer_to("/stages", vertex.name) + "/inject/gpu_sleep_ms",
                   vertex.info.uses_device
                       ? "needs a run on a device: run.device = cuda:N or sim:N"
                       : fmt::format("stage type '{}' works on the host; sleep_ms delays it", vertex.info.type));
    }
  }
  if (plan.steps > 0 && std::ranges::none_of(plan.graph.vertices(),
                                             [](const Graph::Vertex& vertex) { return vertex.info.drives_steps; })) {
    mistakes.add("/run/steps",
                 fmt::format("found {}, allowed: 0, since no stage of this graph makes steps; it ends with its data",
                             plan.steps));
  }
  env.device = tensor_device(plan.device);
  env.precision = plan.precision;
  env.seed = plan.seed;
  env.steps = plan.steps;
  env.evaluate = plan.evaluate;
  env.keep_best = plan.checkpoint_policy.keep_best;
  plan.hooks.resolve(env, plan.given_models, resources, mistakes);
  const auto env_of = [&](const Graph::Vertex& vertex) {
    return StageEnv{.name = vertex.name,
                    .device = tensor_device(device_of(vertex, plan.device)),
                    .seed = plan.seed,
                    .steps = plan.steps,
                    .run_dir = {},
                    .resources = &resources,
                    .log = nullptr};
  };
  check_stages(plan.graph, env_of, mistakes);
}

}  // namespace dflash
