// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/provenance.h"

#include <fstream>
#include <string>
#include <thread>

#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"

namespace dflash {
namespace {

std::string cpu_model() {
  std::ifstream lines{"/proc/cpuinfo"};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown";
}

}  // namespace

Json run_provenance(const Application& application, const RunPlan& plan, const std::string& command_line,
                    std::optional<std::int64_t> resumed_from_step) {
  Json json{{"graph_hash", hash_text(plan.resolved.dump())},
            {"seed", plan.seed},
            {"device", plan.device},
            {"precision", plan.precision},
            {"hardware", hardware_json()}};
  json["versions"] = {{application.name, application.version}};
  if (application.versions) {
    json["versions"].update(application.versions());
  }
  if (!application.plugins.empty()) {
    json["plugins"] = plugins_json(application.plugins);
  }
  json.update(plan.hooks.provenance());
  json["command_line"] = command_line;
  if (resumed_from_step) {
    json["resumed_from_step"] = *resumed_from_step;
  }
  return json;
}

Json plugins_json(const std::vector<LoadedPlugin>& plugins) {
  Json by_file = Json::object();
  for (const LoadedPlugin& plugin : plugins) {
    by_file[plugin.file] = {{"version", plugin.version}, {"hash", plugin.hash}, {"types", plugin.types}};
  }
  return by_file;
}

Json hardware_json() { return {{"cpu", cpu_model()}, {"cores", std::thread::hardware_concurrency()}}; }

}  // namespace dflash
