// SPDX-License-Identifier: Apache-2.0
#include "framework/core/placement_text.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "framework/core/graph_keys.h"
#include "framework/core/param_section.h"
#include "framework/core/run_settings.h"

namespace dflash {

bool is_name(const std::string& name) {
  const auto allowed = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '-';
  };
  return !name.empty() && name.front() != '-' && std::ranges::all_of(name, allowed);
}

Placement read_placement(const JsonSpot& spot, Diagnostics& diagnostics) {
  for (const std::string& key : kPlannedStageKeys) {
    if (const auto found = spot.find(key)) {
      diagnostics.add(found->key_place(), found->pointer(), fmt::format("'{}' is not supported in this version", key));
    }
  }
  Placement placement;
  if (const auto replicas = spot.find("replicas")) {
    placement.replicas =
        positive_integer(*replicas, "integer, from 1 to 1024", diagnostics, Placement::kMostReplicas).value_or(1);
  }
  const auto on_error = spot.find("on_error");
  if (on_error && check_object(*on_error, "an object with the keys retry and then", diagnostics)) {
    const ErrorPolicyParams params;
    read_params(*on_error, params, "on_error", diagnostics);
    placement.on_error = params.policy();
  }
  if (const auto device = spot.find("device")) {
    const Json& word = device->value();
    if (word.is_string() && is_device_name(word.get<std::string>(), false)) {
      placement.device = word.get<std::string>();
    } else {
      diagnostics.add(device->place(), device->pointer(), found_text(word, "cpu | cuda:N | sim:N, as in cuda:0"));
    }
  }
  if (const auto lane = spot.find("lane")) {
    const Json& word = lane->value();
    if (word.is_string() && is_name(word.get<std::string>())) {
      placement.lane = word.get<std::string>();
    } else {
      diagnostics.add(lane->place(), lane->pointer(), found_text(word, "letters, digits, '_' and '-'"));
    }
  }
  return placement;
}

Inject read_inject(const JsonSpot& spot, const Stage& stage, Diagnostics& diagnostics) {
  InjectParams params;
  if (!check_object(spot, "an object of delays and faults", diagnostics)) {
    return {};
  }
  read_params(spot, params, "inject", diagnostics);
  for (const OutputPort* port : stage.outputs()) {
    if (params.nan_at() > 0 && port->type().poisoned == nullptr) {
      const JsonSpot at = *spot.find("nan_at");
      diagnostics.add(at.place(), at.pointer(),
                      fmt::format("output '{}' gives '{}', which holds nothing that could be NaN", port->name(),
                                  port->type().name));
    }
  }
  return params.inject();
}

}  // namespace dflash
