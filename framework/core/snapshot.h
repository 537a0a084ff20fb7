// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

#include "framework/core/json.h"

namespace dflash {

/// What a stage needs to go on exactly where it stood. Small values go into `values`. Large ones (weights) go into
/// files in `folder`, which is empty where only values are allowed: a snapshot that travels with an item (see Origin).
struct Snapshot {
  Json values = Json::object();
  std::filesystem::path folder;
};

}  // namespace dflash
