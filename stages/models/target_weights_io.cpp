// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <system_error>

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include "framework/core/error.h"
#include "framework/core/nearest_name.h"
#include "stages/models/fault_list.h"
#include "stages/models/safetensors_folder.h"
#include "stages/models/target_shapes.h"
#include "stages/models/target_weights.h"

namespace dflash {
namespace {

std::string shape_text(at::IntArrayRef sizes) {
  return fmt::format("[{}]", fmt::join(sizes.begin(), sizes.end(), ", "));
}

std::string fault_of(const StoredTensor* stored, const std::string& name, const at::Tensor& expected) {
  if (stored == nullptr) {
    return fmt::format("'{}' is missing", name);
  }
  if (!c10::isFloatingType(stored->type)) {
    return fmt::format("'{}' is of type {}, expected a floating type", name, safetensors_type_name(stored->type));
  }
  if (at::IntArrayRef(stored->sizes) != expected.sizes()) {
    return fmt::format("'{}' has shape {}, expected {}", name, shape_text(stored->sizes), shape_text(expected.sizes()));
  }
  return "";
}

/// A tied target may carry its head all the same; which of the two would count is not clear unless they are equal.
bool is_copy_of_embedding(const SafetensorsFolder& files, const TargetConfig& config, const std::string& name) {
  constexpr auto kEmbedding = "model.embed_tokens.weight";
  if (!config.tie_word_embeddings || name != "lm_head.weight" || files.find(kEmbedding) == nullptr) {
    return false;
  }
  const bool equal = at::equal(files.tensor(name), files.tensor(kEmbedding));
  files.forget(name);
  files.forget(kEmbedding);
  return equal;
}

/// Files of old carry what is computed from the config.
bool is_derived(const std::string& name) { return name.ends_with(".rotary_emb.inv_freq"); }

/// Adds what does not fit to the faults of the files themselves, and throws where there are any.
void check_names_and_shapes(const SafetensorsFolder& files, const TargetConfig& config, const TargetWeights& expected,
                            const std::string& folder, std::vector<std::string> faults) {
  std::vector<std::string> known;
  for_each_parameter(expected, [&](const std::string& name, const at::Tensor& parameter) {
    known.push_back(name);
    const bool is_unknown = files.is_lost(name) || (files.names().empty() && !faults.empty());
    if (std::string fault = is_unknown ? "" : fault_of(files.find(name), name, parameter); !fault.empty()) {
      faults.push_back(std::move(fault));
    }
  });
  const std::set<std::string> used(known.begin(), known.end());
  for (const std::string& name : files.names()) {
    if (!used.contains(name) && !is_derived(name) && !is_copy_of_embedding(files, config, name)) {
      const std::string near = nearest_name(name, known);
      faults.push_back(
          fmt::format("'{}' is unused{}", name, near.empty() ? "" : fmt::format(" (expected '{}'?)", near)));
    }
  }
  DFLASH_USER_CHECK(faults.empty(), "weights in '{}' do not fit its config.json: {}", folder, fault_list(faults));
}

}  // namespace

void check_target_weights(const std::filesystem::path& folder, const TargetConfig& config) {
  std::vector<std::string> faults;
  const SafetensorsFolder files(folder, faults);
  check_names_and_shapes(files, config, empty_target(config), folder.string(), std::move(faults));
}

TargetWeights load_target(const std::filesystem::path& folder, const TargetConfig& config,
                          std::optional<at::ScalarType> dtype, at::Device device) {
  std::vector<std::string> faults;
  const SafetensorsFolder files(folder, faults);
  TargetWeights weights = empty_target(config);
  check_names_and_shapes(files, config, weights, folder.string(), std::move(faults));
  const at::ScalarType type = dtype.value_or(device.is_cpu() ? at::kFloat : config.dtype);
  for_each_parameter(weights, [&](const std::string& name, at::Tensor& parameter) {
    parameter = files.tensor(name).to(at::TensorOptions().dtype(type).device(device), false, /*copy=*/true);
    files.forget(name);  // else file and copy would both be in memory
  });
  return weights;
}

void save_target(const std::filesystem::path& folder, TargetConfig config, const TargetWeights& weights,
                 at::ScalarType dtype) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  DFLASH_USER_CHECK(!error, "cannot make the folder '{}': {}", folder.string(), error.message());
  std::vector<NamedTensor> tensors;
  for_each_parameter(weights, [&](const std::string& name, const at::Tensor& parameter) {
    tensors.emplace_back(name, parameter.detach().to(at::kCPU).to(dtype));
  });
  config.dtype = dtype;
  write_safetensors(folder / "model.safetensors", tensors, {{"format", "pt"}});
  write_target_config(folder, config);
}

}  // namespace dflash
