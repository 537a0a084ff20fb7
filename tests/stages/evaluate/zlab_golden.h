// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <nlohmann/json.hpp>

#include "framework/core/json.h"
#include "stages/models/drafter_config.h"
#include "stages/models/drafter_weights.h"
#include "stages/models/safetensors.h"
#include "stages/models/target_config.h"
#include "stages/models/target_weights.h"

namespace dflash::test {

/// What tests/stages/evaluate/zlab_golden/make.py wrote: models, and what z-lab's own code decodes with them.
inline std::filesystem::path golden_folder() {
  return std::filesystem::path(DFLASH_SOURCE_DIR) / "tests/stages/evaluate/zlab_golden";
}

inline const Json& golden_decode() {
  static const Json golden = [] {
    std::ifstream file(golden_folder() / "decode.json");
    return Json::parse(file);
  }();
  return golden;
}

inline std::vector<std::vector<std::int64_t>> golden_prompts() {
  return golden_decode().at("prompts").get<std::vector<std::vector<std::int64_t>>>();
}

struct GoldenTarget {
  TargetConfig config;
  TargetWeights weights;  // fp32
};

inline const GoldenTarget& golden_target() {
  static const GoldenTarget target = [] {
    at::set_num_threads(1);  // the models are too small for more
    GoldenTarget read{.config = read_target_config(golden_folder() / "target"), .weights = {}};
    read.weights = load_target(golden_folder() / "target", read.config, at::kFloat, at::kCPU);
    return read;
  }();
  return target;
}

struct GoldenDrafter {
  DrafterConfig config;
  DrafterWeights weights;  // fp32
};

inline const GoldenDrafter& golden_drafter() {
  static const GoldenDrafter drafter = [] {
    GoldenDrafter read{.config = load_drafter_config((golden_folder() / "drafter" / "config.json").string()),
                       .weights = {}};
    read.weights = empty_drafter(read.config);
    const SafetensorsFile file(golden_folder() / "drafter" / "model.safetensors");
    for_each_parameter(read.weights,
                       [&](const std::string& name, at::Tensor& value) { value = file.tensor(name).to(at::kFloat); });
    return read;
  }();
  return drafter;
}

}  // namespace dflash::test
