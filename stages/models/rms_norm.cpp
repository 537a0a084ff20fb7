// SPDX-License-Identifier: Apache-2.0
#include "stages/models/rms_norm.h"

#include <cmath>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>

#include "stages/kernels/rms_norm_forward.h"

namespace dflash {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kLanes = 8;  // independent partial sums, which the compiler keeps in vector registers

/// Sum over i of term(i), in a fixed order.
template <typename Real, typename Term>
Real lane_sum(std::int64_t count, const Term& term) {
  Real lanes[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] += term(i + lane);
    }
  }
  for (; i < count; ++i) {
    lanes[0] += term(i);
  }
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

/// Where the loops below serve: plain CPU memory in one of the two types whose statistics have the type of the data.
bool has_loops(const at::Tensor& x, const at::Tensor& weight) {
  return x.is_cpu() && weight.scalar_type() == x.scalar_type() &&
         (x.scalar_type() == at::kFloat || x.scalar_type() == at::kDouble);
}

/// Where the fused kernel serves: on a GPU, where no gradient will be asked for.
bool has_kernel(const at::Tensor& x, const at::Tensor& weight) {
  const bool differentiated = at::GradMode::is_enabled() && (x.requires_grad() || weight.requires_grad());
  return x.is_cuda() && !differentiated && weight.scalar_type() == x.scalar_type() &&
         (x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16);
}

template <typename Real>
void norm_rows(const at::Tensor& x, const at::Tensor& weight, double eps, at::Tensor& y, at::Tensor& scale) {
  const std::int64_t width = x.size(-1);
  const Real* gains = weight.const_data_ptr<Real>();
  at::parallel_for(0, x.numel() / width, 1024, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const Real* in = x.const_data_ptr<Real>() + row * width;
      Real* out = y.data_ptr<Real>() + row * width;
      const Real square = lane_sum<Real>(width, [&](std::int64_t i) { return in[i] * in[i]; });
      const Real factor = Real(1) / std::sqrt(square / static_cast<Real>(width) + static_cast<Real>(eps));
      scale.data_ptr<Real>()[row] = factor;
      for (std::int64_t i = 0; i < width; ++i) {
        out[i] = in[i] * factor * gains[i];
      }
    }
  });
}

/// Writes the gradient of each row and adds up that of the weight, row after row.
template <typename Real>
void norm_rows_backward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& weight,
                        const at::Tensor& scale, variable_list& result) {
  const std::int64_t width = x.size(-1);
  const Real* gains = weight.const_data_ptr<Real>();
  Real* weight_gradient = result[1].data_ptr<Real>();
  for (std::int64_t row = 0; row < x.numel() / width; ++row) {
    const Real* in = x.const_data_ptr<Real>() + row * width;
    const Real* out = gradient.const_data_ptr<Real>() + row * width;
    Real* in_gradient = result[0].data_ptr<Real>() + row * width;
    const Real factor = scale.const_data_ptr<Real>()[row];
    const Real dot = lane_sum<Real>(width, [&](std::int64_t i) { return out[i] * gains[i] * in[i]; });
    const Real pull = dot * factor * factor * factor / static_cast<Real>(width);
    for (std::int64_t i = 0; i < width; ++i) {
      in_gradient[i] = out[i] * gains[i] * factor - in[i] * pull;
      weight_gradient[i] += out[i] * in[i] * factor;
    }
  }
}

class LoopedRmsNorm : public torch::autograd::Function<LoopedRmsNorm> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& given, const at::Tensor& weight, double eps) {
    const at::Tensor x = given.contiguous();
    at::Tensor y = at::empty_like(x);
    at::Tensor scale = at::empty({x.numel() / x.size(-1)}, x.options());
    x.scalar_type() == at::kFloat ? norm_rows<float>(x, weight, eps, y, scale)
                                  : norm_rows<double>(x, weight, eps, y, scale);
    context->save_for_backward({x, weight, scale});
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor gradient = gradients[0].contiguous();
    variable_list result{at::empty_like(saved[0]), at::zeros_like(saved[1]), at::Tensor()};
    saved[0].scalar_type() == at::kFloat ? norm_rows_backward<float>(gradient, saved[0], saved[1], saved[2], result)
                                         : norm_rows_backward<double>(gradient, saved[0], saved[1], saved[2], result);
    return result;
  }
};

}  // namespace

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps) {
  if (has_loops(x, weight) && x.numel() > 0) {
    return LoopedRmsNorm::apply(x, weight.contiguous(), eps);
  }
  if (has_kernel(x, weight)) {
    return rms_norm_forward(x, weight, eps);
  }
  const at::Tensor wide = x.scalar_type() == at::kDouble ? x : x.to(at::kFloat);
  return (wide * at::rsqrt(wide.square().mean(-1, true) + eps)).to(x.scalar_type()) * weight;
}

}  // namespace dflash
