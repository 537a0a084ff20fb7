// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

namespace dflash {

struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;
  double max_norm = 1.0;  // global L2 norm that gradients are clipped to; 0: no clipping
  bool fused = true;      // one multi-tensor kernel; false: tensor by tensor. Equal mathematics
};

/// What a step did, on the device and never read here.
struct AdamWStep {
  at::Tensor grad_norm;  // scalar fp32: global norm of the scaled gradients before clipping; 0 if skipped
  at::Tensor skipped;    // scalar fp32: 1 if the denominator was zero and nothing was changed
};

/// AdamW on full-precision masters (fp32; fp64 for fp64 models). Parameters of a lower precision are working copies:
/// their gradients are widened, and each step writes them anew from the masters. Parameters of full precision are their
/// own masters.
class AdamW {
 public:
  /// Takes leaves by name; they and the optimiser share their storage. The order of names is that of the state.
  AdamW(std::vector<std::pair<std::string, at::Tensor>> parameters, AdamWOptions options);

  /// Divides the accumulated gradients by `denominator` (scalar tensor: the sum of loss weights over packs and ranks),
  /// clips, updates, and clears the gradients. A zero denominator changes nothing. Every parameter must have a
  /// gradient.
  AdamWStep step(double lr, const at::Tensor& denominator);

  /// Forgets the gradients.
  void clear_gradients();

  /// Returns the state by name: `step`, `exp_avg.NAME`, `exp_avg_sq.NAME`, `master.NAME`. The tensors are the
  /// optimiser's own.
  std::map<std::string, at::Tensor> state() const;

  /// Copies a saved state in. Missing, unknown and misshapen entries are refused in one UserError that opens with
  /// `place`.
  void load_state(const std::map<std::string, at::Tensor>& saved, const std::string& place);

 private:
  std::vector<at::Tensor> wide_gradients() const;
  void update_fused(std::vector<at::Tensor>& gradients, double lr, const at::Tensor& factor, const at::Tensor& skipped);
  void update_each(const std::vector<at::Tensor>& gradients, double lr, const at::Tensor& factor,
                   const at::Tensor& skipped);

  AdamWOptions options_;
  std::vector<std::string> names_;
  std::vector<at::Tensor> working_;
  std::vector<at::Tensor> masters_;
  std::vector<at::Tensor> exp_avg_;
  std::vector<at::Tensor> exp_avg_sq_;
  at::Tensor step_;  // scalar fp32: steps that changed something
};

}  // namespace dflash
