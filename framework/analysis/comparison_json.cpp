// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/comparison_json.h"

#include <nlohmann/json.hpp>

namespace dflash {
namespace {

void put_ratio(Json& json, const std::optional<Estimate>& ratio) {
  json["ratio"] = ratio ? Json(ratio->value) : Json();
  json["low"] = ratio ? Json(ratio->low) : Json();
  json["high"] = ratio ? Json(ratio->high) : Json();
}

Json rate_json(const std::optional<Estimate>& rate) {
  return rate ? Json{{"value", rate->value}, {"low", rate->low}, {"high", rate->high}} : Json();
}

Json loss_json(const LossDifference& losses) {
  if (!losses.equal) {
    return nullptr;
  }
  return {{"steps", losses.steps},
          {"largest_difference", losses.largest},
          {"at_step", *losses.equal ? Json() : Json(losses.step)}};
}

}  // namespace

Json comparison_json(const RunComparison& comparison) {
  const Throughput& throughput = comparison.throughput;
  Json json{{"result", pace_name(comparison.result)}};
  put_ratio(json, throughput.ratio);
  json["reason"] = throughput.ratio ? Json() : Json(throughput.reason);
  json["spread_measured"] = comparison.is_spread_measured;
  json["equal_graphs"] = comparison.is_one_graph;
  json["equal_loss"] = comparison.losses.equal ? Json(*comparison.losses.equal) : Json();
  json["unit"] = throughput.unit;
  json["samples"] = throughput.samples;
  json["rate_a"] = rate_json(throughput.rate_a);
  json["rate_b"] = rate_json(throughput.rate_b);
  json["loss"] = loss_json(comparison.losses);
  json["stages"] = Json::array();
  for (const StageComparison& stage : comparison.stages) {
    Json entry{{"name", stage.name}};
    put_ratio(entry, stage.ratio);
    entry.update({{"type_a", stage.type_a}, {"type_b", stage.type_b}, {"a_s", stage.a_s}, {"b_s", stage.b_s}});
    json["stages"].push_back(std::move(entry));
  }
  json["edges"] = Json::array();
  for (const EdgeComparison& edge : comparison.edges) {
    Json entry{{"name", edge.name}};
    put_ratio(entry, edge.ratio);
    entry.update({{"a_s", edge.a_s}, {"b_s", edge.b_s}, {"fill_a", edge.fill_a}, {"fill_b", edge.fill_b}});
    json["edges"].push_back(std::move(entry));
  }
  json["notes"] = comparison.notes;
  json["runs"] = {{"a", comparison.runs_a}, {"b", comparison.runs_b}};
  return json;
}

}  // namespace dflash
