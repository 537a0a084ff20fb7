// SPDX-License-Identifier: Apache-2.0
#include "stages/postprocess/divergence.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

constexpr std::string_view kMaster = "master.";

[[noreturn]] void throw_diverged(const std::string& stage, std::int64_t step, const std::string& found) {
  throw StageError{
      stage, fmt::format("step {}", step), 0,
      fmt::format("the training has diverged: {}; try a lower {}.lr, a longer {}.warmup_ratio or a smaller "
                  "{}.clip; checkpoints of earlier steps are kept",
                  found, stage, stage, stage),
      /*caused_by_user=*/false};
}

std::string in_words(const std::string& name) {
  return name.starts_with(kMaster) ? fmt::format("parameter '{}'", name.substr(kMaster.size()))
                                   : fmt::format("optimiser state '{}'", name);
}

}  // namespace

void check_finite(const StepMetrics& step, const std::vector<float>& values) {
  const auto bad = std::find_if(values.begin(), values.end(), [](float value) { return !std::isfinite(value); });
  if (bad != values.end()) {
    const auto place = static_cast<std::size_t>(bad - values.begin());
    throw_diverged(
        step.stage, step.step,
        fmt::format("{} is {} (lr {:g})", step.names[place], std::isnan(*bad) ? "nan" : "infinite", step.lr));
  }
}

void check_finite(const std::string& stage, std::int64_t step, const std::map<std::string, at::Tensor>& state) {
  const at::NoGradGuard no_grad;
  std::vector<std::pair<std::string, at::Tensor>> tensors{state.begin(), state.end()};
  std::stable_partition(tensors.begin(), tensors.end(),
                        [](const auto& entry) { return entry.first.starts_with(kMaster); });
  std::vector<at::Tensor> bad_counts;
  bad_counts.reserve(tensors.size());
  for (const auto& [name, tensor] : tensors) {
    bad_counts.push_back(at::isfinite(tensor).logical_not().sum());
  }
  const at::Tensor counts = at::stack(bad_counts).to(at::kCPU);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (const auto count = counts.data_ptr<std::int64_t>()[i]; count > 0) {
      throw_diverged(stage, step,
                     fmt::format("{} has {} of {} values that are not finite", in_words(tensors[i].first), count,
                                 tensors[i].second.numel()));
    }
  }
}

}  // namespace dflash
