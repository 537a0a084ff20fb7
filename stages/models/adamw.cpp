// SPDX-License-Identifier: Apache-2.0
#include "stages/models/adamw.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "framework/core/error.h"
#include "framework/core/nearest_name.h"

namespace dflash {
namespace {

bool full_precision(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kFloat || tensor.scalar_type() == at::kDouble;
}

at::Tensor scalar_like(const at::Tensor& tensor, double value) {
  return at::full({}, value, tensor.options().dtype(at::kFloat).requires_grad(false));
}

}  // namespace

AdamW::AdamW(std::vector<std::pair<std::string, at::Tensor>> parameters, AdamWOptions options) : options_{options} {
  DFLASH_CHECK(!parameters.empty(), "an optimiser without parameters");
  for (auto& [name, tensor] : parameters) {
    const at::Tensor values = tensor.detach();
    names_.push_back(name);
    masters_.push_back(full_precision(values) ? values : values.to(at::kFloat));
    exp_avg_.push_back(at::zeros_like(masters_.back()));
    exp_avg_sq_.push_back(at::zeros_like(masters_.back()));
    working_.push_back(std::move(tensor));
  }
  step_ = scalar_like(masters_.front(), 0);
}

std::vector<at::Tensor> AdamW::wide_gradients() const {
  std::vector<at::Tensor> gradients;
  for (std::size_t i = 0; i < working_.size(); ++i) {
    DFLASH_CHECK(working_[i].grad().defined(), "parameter '{}' has no gradient", names_[i]);
    gradients.push_back(working_[i].grad().to(masters_[i].scalar_type()));
  }
  return gradients;
}

AdamWStep AdamW::step(double lr, const at::Tensor& denominator) {
  const at::NoGradGuard no_grad;
  auto gradients = wide_gradients();
  const at::Tensor skipped = (denominator == 0).to(at::kFloat);
  const at::Tensor scale = at::where(denominator == 0, at::zeros_like(denominator), denominator.reciprocal());
  const at::Tensor norm = (at::stack(at::_foreach_norm(gradients, 2)).norm() * scale).to(at::kFloat);
  at::Tensor factor = scale.to(at::kFloat);
  if (options_.max_norm > 0) {
    factor = factor * at::clamp_max(options_.max_norm / (norm + 1e-6), 1.0);
  }
  step_.add_(1 - skipped);
  options_.fused ? update_fused(gradients, lr, factor, skipped) : update_each(gradients, lr, factor, skipped);
  for (std::size_t i = 0; i < working_.size(); ++i) {
    if (!full_precision(working_[i])) {
      working_[i].detach().copy_(masters_[i]);
    }
  }
  clear_gradients();
  return {norm, skipped};
}

void AdamW::update_fused(std::vector<at::Tensor>& gradients, double lr, const at::Tensor& factor,
                         const at::Tensor& skipped) {
  const std::vector<at::Tensor> steps(masters_.size(), step_);
  at::_fused_adamw_(masters_, gradients, exp_avg_, exp_avg_sq_, {}, steps, lr, options_.beta1, options_.beta2,
                    options_.weight_decay, options_.eps, /*amsgrad=*/false, /*maximize=*/false, factor.reciprocal(),
                    skipped);
}

void AdamW::update_each(const std::vector<at::Tensor>& gradients, double lr, const at::Tensor& factor,
                        const at::Tensor& skipped) {
  const at::Tensor keep = 1 - skipped;
  const at::Tensor steps = at::clamp_min(step_, 1).to(at::kDouble);
  const at::Tensor correction1 = 1 - at::pow(options_.beta1, steps);
  const at::Tensor correction2 = (1 - at::pow(options_.beta2, steps)).sqrt();
  for (std::size_t i = 0; i < masters_.size(); ++i) {
    const at::Tensor gradient = gradients[i] * factor;
    exp_avg_[i].add_((gradient - exp_avg_[i]) * ((1 - options_.beta1) * keep));
    exp_avg_sq_[i].add_((gradient * gradient - exp_avg_sq_[i]) * ((1 - options_.beta2) * keep));
    masters_[i].mul_(1 - lr * options_.weight_decay * keep);
    const at::Tensor scale = exp_avg_sq_[i].sqrt() / correction2 + options_.eps;
    masters_[i].sub_(exp_avg_[i] / correction1 / scale * (lr * keep));
  }
}

void AdamW::clear_gradients() {
  for (auto& tensor : working_) {
    tensor.mutable_grad() = at::Tensor();
  }
}

std::map<std::string, at::Tensor> AdamW::state() const {
  std::map<std::string, at::Tensor> state{{"step", step_}};
  for (std::size_t i = 0; i < names_.size(); ++i) {
    state.emplace("exp_avg." + names_[i], exp_avg_[i]);
    state.emplace("exp_avg_sq." + names_[i], exp_avg_sq_[i]);
    state.emplace("master." + names_[i], masters_[i]);
  }
  return state;
}

void AdamW::load_state(const std::map<std::string, at::Tensor>& saved, const std::string& place) {
  const at::NoGradGuard no_grad;
  const auto own = state();
  std::vector<std::string> known;
  std::string faults;
  for (const auto& [name, tensor] : own) {
    known.push_back(name);
    const auto found = saved.find(name);
    if (found == saved.end()) {
      faults += fmt::format("\n  '{}' is missing", name);
    } else if (found->second.sizes() != tensor.sizes()) {
      faults += fmt::format("\n  '{}' has {} numbers in {} dimensions, expected {} in {}", name, found->second.numel(),
                            found->second.dim(), tensor.numel(), tensor.dim());
    }
  }
  for (const auto& [name, tensor] : saved) {
    if (!own.contains(name)) {
      faults += fmt::format("\n  '{}' is unknown{}", name, suggestion(name, known));
    }
  }
  DFLASH_USER_CHECK(faults.empty(), "{}: not a state of this optimiser:{}", place, faults);
  for (const auto& [name, tensor] : own) {
    tensor.copy_(saved.at(name));
  }
  for (std::size_t i = 0; i < working_.size(); ++i) {
    if (!full_precision(working_[i])) {
      working_[i].detach().copy_(masters_[i]);
    }
  }
}

}  // namespace dflash
