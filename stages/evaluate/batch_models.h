// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace dflash {

/// What the target computed for the tokens of one call.
struct TargetReadout {
  at::Tensor logits;    // [rows, length, vocab]
  at::Tensor features;  // [rows, length, taps * hidden]; undefined where the target was made without taps
};

/// The frozen target as a decode loop sees it: a batch of rows, each with its own cached length.
class BatchTarget {
 public:
  BatchTarget() = default;
  BatchTarget(const BatchTarget&) = delete;
  BatchTarget& operator=(const BatchTarget&) = delete;
  virtual ~BatchTarget() = default;

  /// Starts a batch with one row per prompt. Prompts are padded at their ends to the longest; a row's cached length is
  /// its prompt's. Logits are those of each prompt's last token alone: [rows, 1, vocab].
  virtual TargetReadout prefill(const std::vector<std::vector<std::int64_t>>& prompts) = 0;
  /// Appends `tokens` ([rows, length] int64) behind each row's cached tokens, which grow by `length`.
  virtual TargetReadout extend(const at::Tensor& tokens) = 0;
  /// Shortens the cached length of each row.
  virtual void crop(const std::vector<std::int64_t>& lengths) = 0;
  /// Drops all rows but these, given in ascending order.
  virtual void keep(const std::vector<std::int64_t>& rows) = 0;
};

/// The drafter as a decode loop sees it: per row the cached keys and values of the context whose features were
/// absorbed.
class BatchDrafter {
 public:
  BatchDrafter() = default;
  BatchDrafter(const BatchDrafter&) = delete;
  BatchDrafter& operator=(const BatchDrafter&) = delete;
  virtual ~BatchDrafter() = default;

  /// Adds to each row the first `counts[row]` of its `features` ([rows, length, taps * hidden]).
  virtual void absorb(const at::Tensor& features, const std::vector<std::int64_t>& counts) = 0;
  /// Proposes the tokens behind each row's anchor, which stands right behind the absorbed context. `sizes` are the
  /// rows' block sizes, anchor included, at least 2. Returns [rows, largest size - 1] int64; what lies beyond a row's
  /// own size is arbitrary.
  virtual at::Tensor draft(const std::vector<std::int64_t>& anchors, const std::vector<std::int64_t>& sizes) = 0;
  /// Drops all rows but these, given in ascending order.
  virtual void keep(const std::vector<std::int64_t>& rows) = 0;
};

}  // namespace dflash
