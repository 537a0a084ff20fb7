// SPDX-License-Identifier: Apache-2.0
#include "tests/stages/models/target_goldens.h"

#include <cstdlib>

#include <ATen/ATen.h>

namespace dflash {
namespace {

std::vector<std::int64_t> as_list(const at::Tensor& values) {
  const auto* begin = values.const_data_ptr<std::int64_t>();
  return {begin, begin + values.numel()};
}

}  // namespace

std::vector<std::string> own_target_goldens() {
  const char* folder = std::getenv("DFLASH_PARITY_TARGET");
  return folder == nullptr ? std::vector<std::string>{} : std::vector<std::string>{folder};
}

TargetGoldens::TargetGoldens(const std::string& name)
    : folder(std::filesystem::path(DFLASH_SOURCE_DIR) / "tests/data/target" / name),
      config(read_target_config(folder)),
      weights(load_target(folder, config, at::kFloat, at::kCPU)),
      values(folder / "golden.safetensors") {}

std::vector<std::int64_t> TargetGoldens::ids(int document) const {
  return as_list(values.tensor("ids." + std::to_string(document)));
}

std::vector<std::int64_t> TargetGoldens::greedy(int document) const {
  return as_list(values.tensor("greedy." + std::to_string(document)));
}

at::Tensor TargetGoldens::both(const std::string& what) const {
  return at::cat({values.tensor(what + ".0"), values.tensor(what + ".1")});
}

PackedTokens TargetGoldens::packed(std::int64_t padding) const {
  const auto first = static_cast<std::int64_t>(ids(0).size());
  const auto second = static_cast<std::int64_t>(ids(1).size());
  return {.ids = at::cat({both("ids"), at::full({padding}, config.vocab_size - 1, at::kLong)}),
          .positions = at::cat({at::arange(first), at::arange(second), at::zeros({padding}, at::kLong)}),
          .document_starts = {0, first, first + second}};
}

double relative_difference(const at::Tensor& found, const at::Tensor& expected) {
  return ((found - expected).abs().max() / expected.abs().max()).item<double>();
}

}  // namespace dflash
