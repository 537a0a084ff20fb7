// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "framework/core/json.h"

namespace dflash {

/// The graph as it will run, and where each of its values comes from.
class ResolvedGraph {
 public:
  void put(const std::string& key, Json value) { graph_[key] = std::move(value); }
  /// Each pointer once. Appends without a search, which would take quadratic time on a large graph.
  void note_origin(std::string pointer, std::string origin) {
    origins_.get_ref<Json::object_t&>().emplace_back(std::move(pointer), std::move(origin));
  }

  [[nodiscard]] const Json& graph() const { return graph_; }
  [[nodiscard]] const Json& origins() const { return origins_; }

 private:
  Json graph_ = Json::object();
  Json origins_ = Json::object();
};

}  // namespace dflash
