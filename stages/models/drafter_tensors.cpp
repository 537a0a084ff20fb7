// SPDX-License-Identifier: Apache-2.0
#include "stages/models/drafter_tensors.h"

#include <algorithm>

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include "framework/core/error.h"
#include "framework/core/nearest_name.h"

namespace dflash {

std::vector<std::pair<std::string, at::Tensor>> drafter_tensors(const DrafterWeights& weights, at::ScalarType type) {
  std::vector<std::pair<std::string, at::Tensor>> tensors;
  for_each_parameter(weights, [&](const std::string& name, const at::Tensor& tensor) {
    tensors.emplace_back(name, tensor.detach().to(type));
  });
  return tensors;
}

DrafterWeights drafter_from_tensors(const DrafterConfig& config, const std::map<std::string, at::Tensor>& tensors,
                                    const std::string& place) {
  DrafterWeights weights = empty_drafter(config);
  std::vector<std::string> known;
  std::string faults;
  for_each_parameter(weights, [&](const std::string& name, at::Tensor& tensor) {
    known.push_back(name);
    const auto found = tensors.find(name);
    if (found == tensors.end()) {
      faults += fmt::format("\n  '{}' is missing", name);
      return;
    }
    tensor = found->second;
    const auto shape = parameter_shape(config, name);
    if (tensor.sizes() != at::IntArrayRef(shape)) {
      faults += fmt::format("\n  '{}' has shape [{}], the configuration gives [{}]", name,
                            fmt::join(tensor.sizes().vec(), ", "), fmt::join(shape, ", "));
    }
  });
  for (const auto& [name, tensor] : tensors) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      faults += fmt::format("\n  '{}' is no parameter of a drafter{}", name, suggestion(name, known));
    }
  }
  DFLASH_USER_CHECK(faults.empty(), "{}: not the tensors of this drafter:{}", place, faults);
  return weights;
}

}  // namespace dflash
