// SPDX-License-Identifier: Apache-2.0
#include "stages/export/drafter_folder.h"

#include <map>

#include <ATen/ATen.h>
#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "stages/models/drafter_tensors.h"
#include "stages/models/safetensors.h"

namespace dflash {
namespace {

/// Frozen copies of the target's that a speculators folder may have beside the drafter's own.
constexpr const char* kCopiesOfTheTarget[] = {"embed_tokens.weight", "lm_head.weight"};

std::string dtype_name(c10::ScalarType dtype) {
  DFLASH_CHECK(dtype == at::kFloat || dtype == at::kBFloat16, "an export in type {}", c10::toString(dtype));
  return dtype == at::kFloat ? "float32" : "bfloat16";
}

Json config_json(const DrafterConfig& config, const std::string& dtype, const FolderLayout& layout) {
  return layout.format == ExportFormat::kZlab ? drafter_config_json(config, dtype)
                                              : speculators_config_json(config, dtype, layout.verifier);
}

/// Shares the file's mapping.
std::map<std::string, at::Tensor> drafter_tensors_in(const std::filesystem::path& file) {
  const SafetensorsFile stored(file);
  std::map<std::string, at::Tensor> tensors;
  for (const StoredTensor& tensor : stored.tensors()) {
    tensors.emplace(tensor.name, stored.tensor(tensor.name));
  }
  for (const char* copy : kCopiesOfTheTarget) {
    tensors.erase(copy);
  }
  return tensors;
}

}  // namespace

std::filesystem::path config_file_in(const std::filesystem::path& folder) { return folder / "config.json"; }
std::filesystem::path weights_file_in(const std::filesystem::path& folder) { return folder / "model.safetensors"; }

void write_drafter_folder(const DrafterConfig& config, const DrafterWeights& weights, c10::ScalarType dtype,
                          const std::filesystem::path& folder, const FolderLayout& layout) {
  for_each_parameter(weights, [&](const std::string& name, const at::Tensor& value) {
    DFLASH_CHECK(value.sizes().vec() == parameter_shape(config, name),
                 "the shape of '{}' is not what the configuration says", name);
  });
  write_safetensors(weights_file_in(folder), drafter_tensors(weights, dtype), {{"format", "pt"}});
  write_durably(config_file_in(folder), config_json(config, dtype_name(dtype), layout).dump(2) + "\n");
}

DrafterWeights read_drafter_weights(const DrafterConfig& config, const std::filesystem::path& file,
                                    c10::ScalarType dtype) {
  return map_parameters(drafter_from_tensors(config, drafter_tensors_in(file), file.string()),
                        [&](const at::Tensor& stored) { return stored.to(dtype); });
}

void check_drafter_folder_weights(const DrafterConfig& config, const std::filesystem::path& folder) {
  const std::filesystem::path file = weights_file_in(folder);
  (void)drafter_from_tensors(config, drafter_tensors_in(file), file.string());
}

DrafterConfig read_drafter_folder_config(const std::filesystem::path& folder, std::int64_t num_target_layers) {
  Diagnostics diagnostics;
  const JsonText text = read_json_file(config_file_in(folder), "configuration of a drafter", diagnostics);
  ConfigFaults faults;
  Json json = stored_drafter_config(text.value, faults);
  if (json.is_object() && !json.contains("num_target_layers") && num_target_layers > 0) {
    json["num_target_layers"] = num_target_layers;
  }
  DrafterConfig config = faults.empty() ? parse_drafter_config(json, faults) : DrafterConfig{};
  for (const ConfigFaults::Fault& fault : faults.faults()) {
    diagnostics.add(place_of_key(text, fault.keys.front()), fault.keys.front(), fault.message);
  }
  diagnostics.throw_if_any();
  return config;
}

StoredDrafter read_drafter_folder(const std::filesystem::path& folder, c10::ScalarType dtype,
                                  std::int64_t num_target_layers) {
  StoredDrafter drafter{.config = read_drafter_folder_config(folder, num_target_layers), .weights = {}};
  drafter.weights = read_drafter_weights(drafter.config, weights_file_in(folder), dtype);
  return drafter;
}

std::vector<std::string> serving_warnings(const DrafterConfig& config, ExportFormat format) {
  std::vector<std::string> warnings;
  if (config.has(LayerKind::kSliding) && !config.sliding_causal) {
    warnings.emplace_back(
        "its sliding layers are bidirectional inside the block (is_causal: false, sliding_window_non_causal: true); "
        "SGLang serves "
        "sliding layers causally, and accepts less than was measured here");
  }
  if (config.has(LayerKind::kSliding) && format == ExportFormat::kSpeculators) {
    warnings.emplace_back(
        "it has sliding layers: the speculators package bounds their window by the anchor, not by each slot as servers "
        "do, and some versions of vLLM serve the full layers of this layout causally too; z-lab's layout has neither");
  }
  return warnings;
}

}  // namespace dflash
