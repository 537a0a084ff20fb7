// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <system_error>

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include "framework/core/error.h"
#include "framework/core/nearest_name.h"
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

/// A tied target may carry its head all the same; transformers ignores it, so only an equal one is let pass.
bool is_copy_of_embedding(const SafetensorsFolder& files, const TargetConfig& config, const std::string& name) {
  return config.tie_word_embeddings && name == "lm_head.weight" && files.find("model.embed_tokens.weight") != nullptr &&
         at::equal(files.tensor(name), files.tensor("model.embed_tokens.weight"));
}

void check_names_and_shapes(const SafetensorsFolder& files, const TargetConfig& config, const TargetWeights& expected,
                            const std::string& folder) {
  std::vector<std::string> faults;
  std::vector<std::string> known;
  for_each_parameter(expected, [&](const std::string& name, const at::Tensor& parameter) {
    known.push_back(name);
    if (std::string fault = fault_of(files.find(name), name, parameter); !fault.empty()) {
      faults.push_back(std::move(fault));
    }
  });
  const std::set<std::string> used(known.begin(), known.end());
  for (const std::string& name : files.names()) {
    if (!used.contains(name) && !is_copy_of_embedding(files, config, name)) {
      const std::string near = nearest_name(name, known);
      faults.push_back(
          fmt::format("'{}' is unused{}", name, near.empty() ? "" : fmt::format(" (expected '{}'?)", near)));
    }
  }
  constexpr std::size_t kShown = 6;
  const std::size_t more = faults.size() > kShown ? faults.size() - kShown : 0;
  faults.resize(faults.size() - more);
  DFLASH_USER_CHECK(faults.empty(), "weights in '{}' do not fit its config.json: {}{}", folder, fmt::join(faults, "; "),
                    more > 0 ? fmt::format("; and {} more", more) : "");
}

}  // namespace

void check_target_weights(const std::filesystem::path& folder, const TargetConfig& config) {
  check_names_and_shapes(SafetensorsFolder(folder), config, empty_target(config), folder.string());
}

TargetWeights load_target(const std::filesystem::path& folder, const TargetConfig& config,
                          std::optional<at::ScalarType> dtype, at::Device device) {
  const SafetensorsFolder files(folder);
  TargetWeights weights = empty_target(config);
  check_names_and_shapes(files, config, weights, folder.string());
  const at::ScalarType type = dtype.value_or(device.is_cpu() ? at::kFloat : config.dtype);
  for_each_parameter(weights, [&](const std::string& name, at::Tensor& parameter) {
    parameter = files.tensor(name).to(at::TensorOptions().dtype(type).device(device), false, /*copy=*/true);
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
