// SPDX-License-Identifier: Apache-2.0
#include "stages/models/rope.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Turns every head of `x` ([n, heads, head_dim], contiguous, on the CPU) by the table, or back where `direction` is
/// -1.
template <typename Real>
at::Tensor turn(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin, Real direction) {
  const std::int64_t heads = x.size(1), half = x.size(2) / 2;
  at::Tensor y = at::empty_like(x);
  const Real* in = x.const_data_ptr<Real>();
  Real* out = y.data_ptr<Real>();
  at::parallel_for(0, x.size(0), 256, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t head = begin * heads; head < end * heads; ++head) {
      const Real* c = cos.const_data_ptr<Real>() + head / heads * half;
      const Real* s = sin.const_data_ptr<Real>() + head / heads * half;
      const Real* low = in + head * 2 * half;
      const Real* high = low + half;
      for (std::int64_t i = 0; i < half; ++i) {
        out[head * 2 * half + i] = low[i] * c[i] - direction * high[i] * s[i];
        out[head * 2 * half + half + i] = high[i] * c[i] + direction * low[i] * s[i];
      }
    }
  });
  return y;
}

class LoopedRotary : public torch::autograd::Function<LoopedRotary> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& cos,
                            const at::Tensor& sin) {
    context->save_for_backward({cos, sin});
    return turn_by_type(x, cos, sin, 1);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    return {turn_by_type(gradients[0], saved[0], saved[1], -1), at::Tensor(), at::Tensor()};
  }

 private:
  static at::Tensor turn_by_type(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin, int direction) {
    const at::Tensor plain = x.contiguous();
    return x.scalar_type() == at::kFloat ? turn<float>(plain, cos, sin, static_cast<float>(direction))
                                         : turn<double>(plain, cos, sin, static_cast<double>(direction));
  }
};

/// Where the loops serve: CPU tensors of fp32 or fp64 with a table of the same type.
bool has_loops(const at::Tensor& x, const RotaryTable& table) {
  return x.is_cpu() && x.scalar_type() == table.cos.scalar_type() && x.dim() == 3 && table.cos.is_contiguous() &&
         table.sin.is_contiguous();
}

}  // namespace

RotaryTable rotary_table(const at::Tensor& positions, std::int64_t head_dim, double theta, at::ScalarType type,
                         const RopeScaling& scaling) {
  DFLASH_CHECK(type == at::kFloat || type == at::kDouble, "rotations in {}", at::toString(type));
  DFLASH_CHECK(head_dim > 0 && head_dim % 2 == 0, "head_dim {}", head_dim);
  const auto options = positions.options().dtype(type);
  const RotaryFrequencies turns = rotary_frequencies(head_dim, theta, scaling, options);
  const at::Tensor angle = positions.to(type).unsqueeze(1) * turns.frequency;
  if (turns.scale == 1.0) {
    return {.cos = angle.cos(), .sin = angle.sin()};
  }
  return {.cos = angle.cos() * turns.scale, .sin = angle.sin() * turns.scale};
}

at::Tensor apply_rotary(const at::Tensor& x, const RotaryTable& table) {
  if (has_loops(x, table)) {
    return LoopedRotary::apply(x, table.cos, table.sin);
  }
  const std::int64_t half = x.size(-1) / 2;
  const at::Tensor low = x.narrow(-1, 0, half);
  const at::Tensor high = x.narrow(-1, half, half);
  const at::Tensor cos = table.cos.unsqueeze(1);
  const at::Tensor sin = table.sin.unsqueeze(1);
  return at::cat({low * cos - high * sin, high * cos + low * sin}, -1).to(x.scalar_type());
}

}  // namespace dflash
