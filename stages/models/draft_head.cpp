// SPDX-License-Identifier: Apache-2.0
#include "stages/models/draft_head.h"

#include <algorithm>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>

#include "framework/core/error.h"
#include "stages/models/draft_head_chunk.h"

namespace dflash {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// The frozen problem as an autograd context can hold it.
struct ProblemHolder : torch::CustomClassHolder {
  explicit ProblemHolder(HeadProblem held) : problem{std::move(held)} {}
  HeadProblem problem;
};

at::Tensor chunk_of(const at::Tensor& rows, const HeadChunk& chunk) {
  return rows.narrow(0, chunk.row_begin, chunk.row_end - chunk.row_begin);
}

/// Sums chunks without autograd and joins what they keep for the backward pass.
class ChunkedHead : public torch::autograd::Function<ChunkedHead> {
 public:
  static variable_list forward(AutogradContext* context, const at::Tensor& rows, const HeadProblem& problem) {
    const bool recompute = problem.options.form == HeadForm::kRecompute;
    at::Tensor numerator, denominator;
    variable_list correct, gradients;
    for (const auto& chunk : head_chunks(problem.layout, problem.options.chunk_blocks)) {
      ChunkLoss loss = chunk_loss_in_place(problem, chunk, chunk_of(rows, chunk), !recompute);
      numerator = numerator.defined() ? numerator + loss.numerator : loss.numerator;
      denominator = denominator.defined() ? denominator + loss.denominator : loss.denominator;
      correct.push_back(loss.correct);
      gradients.push_back(loss.gradient);
    }
    context->saved_data["problem"] = c10::IValue::make_capsule(c10::make_intrusive<ProblemHolder>(problem));
    context->save_for_backward({recompute ? rows : at::cat(gradients)});
    variable_list outputs{numerator, denominator, at::cat(correct)};
    context->mark_non_differentiable({outputs[1], outputs[2]});
    return outputs;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto holder = c10::static_intrusive_pointer_cast<ProblemHolder>(context->saved_data["problem"].toCapsule());
    const HeadProblem& problem = holder->problem;
    const at::Tensor saved = context->get_saved_variables()[0];
    if (problem.options.form == HeadForm::kChunked) {
      return {saved * gradients[0].to(saved.scalar_type()), at::Tensor()};
    }
    variable_list parts;
    for (const auto& chunk : head_chunks(problem.layout, problem.options.chunk_blocks)) {
      parts.push_back(chunk_loss_in_place(problem, chunk, chunk_of(saved, chunk), true).gradient);
    }
    return {at::cat(parts) * gradients[0].to(saved.scalar_type()), at::Tensor()};
  }
};

ChunkLoss whole_loss(const HeadProblem& problem, const at::Tensor& rows) {
  const auto chunks = head_chunks(problem.layout, problem.layout.num_kept);
  return chunk_loss(problem, chunks.front(), rows);
}

ChunkLoss chunked_loss(const HeadProblem& problem, const at::Tensor& rows) {
  const auto outputs = ChunkedHead::apply(rows, problem);
  return {outputs[0], outputs[1], outputs[2], {}};
}

LossSums sums(const ChunkLoss& loss, const BlockLayout& layout) {
  const at::NoGradGuard no_grad;
  const RowPlaces places = row_places(layout, {0, layout.num_blocks, 0, layout.num_supervised()});
  const at::Tensor correct = row_table(places, loss.correct.to(at::kFloat), 0.0);
  const at::Tensor supervised = row_table(places, at::ones_like(loss.correct, at::kFloat), 0.0);
  const at::Tensor with_rows = supervised.amax(1);
  const at::Tensor leading = correct.narrow(1, 1, layout.block_size - 1).cumprod(1).sum(1);
  return {loss.numerator, loss.denominator, correct.sum(0), supervised.sum(0), (leading + with_rows).sum(),
          with_rows.sum()};
}

}  // namespace

LossSums draft_loss(const at::Tensor& hidden, const HeadInput& input, const BlockLayout& layout,
                    const HeadOptions& options) {
  DFLASH_CHECK(layout.num_supervised() > 0, "a layout without supervised rows has no loss");
  DFLASH_CHECK(options.chunk_blocks >= 1, "chunks of {} blocks", options.chunk_blocks);
  DFLASH_USER_CHECK(
      options.loss != LossType::kKl || input.teacher_hidden.defined(),
      "loss.type: 'kl' needs the target's own predictions, which this graph does not carry; allowed here: ce, "
      "dpace");
  const HeadProblem problem{input, layout, options};
  const at::Tensor rows = hidden.index_select(0, layout.supervised_rows);
  return sums(options.form == HeadForm::kWhole ? whole_loss(problem, rows) : chunked_loss(problem, rows), layout);
}

}  // namespace dflash
