// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/schema_command.h"

#include <memory>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "framework/cli/printing.h"
#include "framework/cli/stage_description.h"
#include "framework/core/edge_rules.h"
#include "framework/core/error_policy.h"
#include "framework/core/graph_keys.h"
#include "framework/core/inject.h"
#include "framework/core/run_settings.h"
#include "framework/core/stage.h"

namespace dflash {
namespace {

Json object_schema(Json properties, Json required = Json::array()) {
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

Json stage_schema(const Catalog::Entry& entry) {
  Json params = params_schema(*entry.make());
  Json required{"type"};
  if (params.contains("required")) {
    required.push_back("params");
  }
  const InjectParams inject;
  const ErrorPolicyParams on_error;
  Json schema = object_schema({{"type", {{"const", entry.info.type}}},
                               {"params", std::move(params)},
                               {"replicas", {{"type", "integer"}, {"minimum", 1}}},
                               {"device", {{"type", "string"}}},
                               {"inject", params_schema(inject)},
                               {"on_error", params_schema(on_error)}},
                              std::move(required));
  schema["description"] = entry.info.summary;
  return schema;
}

Json edge_schema() {
  const Json count{{"type", "integer"}, {"minimum", 1}};
  const Json bytes{{"anyOf", Json::array({count, {{"type", "string"}, {"pattern", "^[0-9]+ *([KMGT]i)?B$"}}})}};
  const Json capacity{{"anyOf", Json::array({count, object_schema({{"items", count}, {"bytes", bytes}})})}};
  const Json port{{"type", "string"}, {"pattern", "^[^.]+\\.[^.]+$"}};
  const EdgeParams rules;
  Json properties{{"from", port}, {"to", port}, {"capacity", capacity}};
  properties.update(params_schema(rules)["properties"]);
  const Json object = object_schema(std::move(properties), {"from", "to"});
  return {{"anyOf", Json::array({{{"type", "string"}, {"pattern", "^.+\\..+->.+\\..+$"}}, object})}};
}

Json run_schema(ParamSet& evaluate) {
  const RunParams run;
  Json schema = params_schema(run);
  schema["properties"]["evaluate"] = {{"anyOf", Json::array({{{"const", false}}, params_schema(evaluate)})}};
  return schema;
}

}  // namespace

Json graph_schema(const Application& application) {
  const std::unique_ptr<RunHooks> hooks = application.new_run();
  Json models = Json::object();
  for (const auto& [name, params] : hooks->model_sections()) {
    models[name] = params_schema(*params);
  }
  Json types = Json::array();
  for (const Catalog::Entry& entry : application.catalog.entries()) {
    types.push_back(stage_schema(entry));
  }
  Json schema =
      object_schema({{"schema", {{"const", kGraphSchema}}},
                     {"name", {{"type", "string"}}},
                     {"vars", {{"type", "object"}}},
                     {"models", object_schema(std::move(models))},
                     {"stages", {{"type", "object"}, {"additionalProperties", {{"oneOf", std::move(types)}}}}},
                     {"edges", {{"type", "array"}, {"items", edge_schema()}}},
                     {"run", run_schema(hooks->evaluate_params())}},
                    {"schema", "name", "stages", "edges"});
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["$defs"] = {{"variable", {{"type", "string"}, {"pattern", "\\$\\{[^}]+\\}"}}}};
  return schema;
}

int schema_command(const Application& application, bool json) {
  print("{}\n", graph_schema(application).dump(json ? -1 : 2));
  return 0;
}

}  // namespace dflash
