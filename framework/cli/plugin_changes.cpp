// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/plugin_changes.h"

#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dflash {
namespace {

struct Build {
  std::string file;
  std::string hash;
};

std::map<std::string, Build> builds_by_type(const Json& plugins) {
  std::map<std::string, Build> builds;
  for (const auto& [file, plugin] : plugins.items()) {
    for (const Json& type : plugin.at("types")) {
      builds[type.get<std::string>()] = {file, plugin.at("hash").get<std::string>()};
    }
  }
  return builds;
}

std::string origin_text(const std::map<std::string, Build>& builds, const std::string& type) {
  const auto found = builds.find(type);
  return found == builds.end() ? "the program itself"
                               : fmt::format("plugin '{}' ({})", found->second.file, found->second.hash);
}

std::string hash_of(const std::map<std::string, Build>& builds, const std::string& type) {
  const auto found = builds.find(type);
  return found == builds.end() ? "" : found->second.hash;
}

}  // namespace

std::vector<std::string> plugin_changes(const Json& before, const Json& now, const Json& graph) {
  const std::map<std::string, Build> builds_before = builds_by_type(before);
  const std::map<std::string, Build> builds_now = builds_by_type(now);
  std::set<std::string> types;
  for (const Json& stage : graph.value("stages", Json::object())) {
    types.insert(stage.at("type").get<std::string>());
  }
  std::vector<std::string> changes;
  for (const std::string& type : types) {
    if (hash_of(builds_before, type) != hash_of(builds_now, type)) {
      changes.push_back(fmt::format("stage type '{}' comes from {}, and came from {}: items and losses may differ",
                                    type, origin_text(builds_now, type), origin_text(builds_before, type)));
    }
  }
  return changes;
}

}  // namespace dflash
