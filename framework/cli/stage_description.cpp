// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/stage_description.h"

#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

#include "framework/core/stage.h"

namespace dflash {
namespace {

template <class P>
Json describe_ports(const std::vector<P*>& ports) {
  Json described = Json::array();
  for (const P* port : ports) {
    described.push_back({{"name", port->name()}, {"type", port->type().name}, {"help", port->help()}});
  }
  return described;
}

/// Adds a key that an object must have, once.
void require_key(Json& object_schema, const std::string& key) {
  Json& required = object_schema["required"];
  if (std::find(required.begin(), required.end(), key) == required.end()) {
    required.push_back(key);
  }
}

Json closed_object() { return {{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}}; }

}  // namespace

std::string role_of(const Stage& stage) {
  if (dynamic_cast<const Buffer*>(&stage) != nullptr) {
    return "buffer";
  }
  if (stage.inputs().empty()) {
    return "source";
  }
  return stage.outputs().empty() ? "sink" : "transform";
}

Json describe_params(const ParamSet& params) {
  Json described = Json::array();
  for (const ParamBase* param : params.params()) {
    described.push_back({{"name", param->name()},
                         {"type", param->type_text()},
                         {"default", param->is_required() ? Json(nullptr) : param->default_json()},
                         {"required", param->is_required()},
                         {"unit", param->unit()},
                         {"help", param->help()},
                         {"schema", param->schema()}});
  }
  return described;
}

Json describe_stage(const Catalog::Entry& entry) {
  const std::unique_ptr<Stage> stage = entry.make();
  Json described{{"type", entry.info.type},
                 {"summary", entry.info.summary},
                 {"role", role_of(*stage)},
                 {"drives_steps", entry.info.drives_steps},
                 {"inputs", describe_ports(stage->inputs())},
                 {"outputs", describe_ports(stage->outputs())},
                 {"params", describe_params(*stage)}};
  if (!entry.plugin.empty()) {
    described["plugin"] = entry.plugin;
  }
  return described;
}

Json params_schema(const ParamSet& params) {
  Json schema = closed_object();
  for (const ParamBase* param : params.params()) {
    Json* object = &schema;
    std::string rest = param->name();
    for (std::size_t dot = rest.find('.'); dot != std::string::npos; dot = rest.find('.')) {
      Json& inner = (*object)["properties"][rest.substr(0, dot)];
      if (inner.is_null()) {
        inner = closed_object();
      }
      if (param->is_required()) {
        require_key(*object, rest.substr(0, dot));
      }
      object = &inner;
      rest = rest.substr(dot + 1);
    }
    (*object)["properties"][rest] = {{"anyOf", Json::array({param->schema(), {{"$ref", "#/$defs/variable"}}})}};
    if (param->is_required()) {
      require_key(*object, rest);
    }
  }
  return schema;
}

}  // namespace dflash
