// SPDX-License-Identifier: Apache-2.0
#include "stages/export/zlab_folder.h"

#include <map>

#include <ATen/ATen.h>
#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "stages/models/drafter_tensors.h"
#include "stages/models/safetensors.h"

namespace dflash {
namespace {

constexpr const char* kWeightsName = "model.safetensors";
constexpr const char* kConfigName = "config.json";

std::string dtype_name(c10::ScalarType dtype) {
  DFLASH_CHECK(dtype == at::kFloat || dtype == at::kBFloat16, "an export in type {}", c10::toString(dtype));
  return dtype == at::kFloat ? "float32" : "bfloat16";
}

}  // namespace

void write_zlab_folder(const DrafterConfig& config, const DrafterWeights& weights, c10::ScalarType dtype,
                       const std::filesystem::path& folder) {
  for_each_parameter(weights, [&](const std::string& name, const at::Tensor& value) {
    DFLASH_CHECK(value.sizes().vec() == parameter_shape(config, name),
                 "the shape of '{}' is not what the configuration says", name);
  });
  write_safetensors(folder / kWeightsName, drafter_tensors(weights, dtype), {{"format", "pt"}});
  write_durably(folder / kConfigName, drafter_config_json(config, dtype_name(dtype)).dump(2) + "\n");
}

DrafterWeights read_drafter_weights(const DrafterConfig& config, const std::filesystem::path& file,
                                    c10::ScalarType dtype) {
  const SafetensorsFile stored(file);
  std::map<std::string, at::Tensor> tensors;
  for (const StoredTensor& tensor : stored.tensors()) {
    tensors.emplace(tensor.name, stored.tensor(tensor.name).to(dtype));
  }
  return drafter_from_tensors(config, tensors, file.string());
}

ZlabDrafter read_zlab_folder(const std::filesystem::path& folder, c10::ScalarType dtype) {
  ZlabDrafter drafter{.config = load_drafter_config((folder / kConfigName).string())};
  drafter.weights = read_drafter_weights(drafter.config, folder / kWeightsName, dtype);
  return drafter;
}

std::vector<std::string> serving_warnings(const DrafterConfig& config) {
  std::vector<std::string> warnings;
  if (config.has(LayerKind::kSliding) && !config.sliding_causal) {
    warnings.emplace_back(
        "its sliding layers are bidirectional inside the block (is_causal: false, sliding_window_non_causal: true); "
        "SGLang serves "
        "sliding layers causally, and accepts less than was measured here");
  }
  return warnings;
}

}  // namespace dflash
