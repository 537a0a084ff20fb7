// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/list_command.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "framework/cli/printing.h"
#include "framework/cli/stage_description.h"
#include "framework/report/text_table.h"

namespace dflash {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 4> kRoles{
    {{"source", "Sources: make items"},
     {"transform", "Transforms: take items and make items"},
     {"buffer", "Buffers: keep items between two stages"},
     {"sink", "Sinks: take items"}}};

Json listed(const Catalog& catalog) {
  Json types = Json::array();
  for (const Catalog::Entry& entry : catalog.entries()) {
    types.push_back({{"type", entry.info.type}, {"role", role_of(*entry.make())}, {"summary", entry.info.summary}});
    if (!entry.plugin.empty()) {
      types.back()["plugin"] = entry.plugin;
    }
  }
  return types;
}

std::string plugin_clause(const Json& type) {
  return type.contains("plugin") ? fmt::format("  [{}]", type.at("plugin").get<std::string>()) : "";
}

}  // namespace

int list_command(const Application& application, bool json) {
  const Json types = listed(application.catalog);
  if (json) {
    print("{}\n", Json{{"types", types}}.dump());
    return 0;
  }
  std::size_t width = 0;
  for (const Json& type : types) {
    width = std::max(width, type.at("type").get_ref<const std::string&>().size());
  }
  for (const auto& [role, title] : kRoles) {
    std::string lines;
    for (const Json& type : types) {
      if (type.at("role").get_ref<const std::string&>() == role) {
        lines += fmt::format("  {:<{}}  {}{}\n", type.at("type").get<std::string>(), width,
                             type.at("summary").get<std::string>(), plugin_clause(type));
      }
    }
    if (!lines.empty()) {
      print("{}\n{}\n", title, lines);
    }
  }
  print("Ports and parameters of a type: {} inspect TYPE\n", application.name);
  return 0;
}

}  // namespace dflash
