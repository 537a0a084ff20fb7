// SPDX-License-Identifier: Apache-2.0
#include "stages/models/draft_head_chunk.h"

#include <algorithm>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace dflash {
namespace {

at::Tensor chunk_rows(const at::Tensor& all, const HeadChunk& chunk) {
  return all.narrow(0, chunk.row_begin, chunk.row_end - chunk.row_begin);
}

at::Tensor reducible(const at::Tensor& logits) {
  return logits.scalar_type() == at::kDouble ? logits : logits.to(at::kFloat);
}

at::Tensor row_weights(const HeadProblem& problem, const HeadChunk& chunk, const at::Tensor& nll) {
  const RowPlaces places = row_places(problem.layout, chunk);
  if (problem.options.loss == LossType::kDpace) {
    return dpace_weights(places, nll, problem.options.alpha);
  }
  return decay_weights(places, problem.options.gamma, nll.scalar_type());
}

/// The target's log-probabilities for the labels' places: its prediction for a token stands at the token before.
at::Tensor teacher_log_probabilities(const HeadProblem& problem, const HeadChunk& chunk) {
  const at::Tensor before = chunk_rows(problem.layout.supervised_tokens, chunk) - 1;
  const at::Tensor logits = at::linear(problem.input.teacher_hidden.index_select(0, before), problem.input.lm_head);
  return at::log_softmax(reducible(logits), -1);
}

}  // namespace

std::vector<HeadChunk> head_chunks(const BlockLayout& layout, std::int64_t chunk_blocks) {
  std::vector<HeadChunk> chunks;
  for (std::int64_t begin = 0; begin < layout.num_kept; begin += chunk_blocks) {
    const std::int64_t end = std::min(begin + chunk_blocks, layout.num_kept);
    const HeadChunk chunk{begin, end, layout.supervised_begin[static_cast<std::size_t>(begin)],
                          layout.supervised_begin[static_cast<std::size_t>(end)]};
    if (chunk.row_end > chunk.row_begin) {
      chunks.push_back(chunk);
    }
  }
  return chunks;
}

RowPlaces row_places(const BlockLayout& layout, const HeadChunk& chunk) {
  return {chunk_rows(layout.supervised_blocks, chunk), chunk_rows(layout.supervised_slots, chunk), chunk.block_begin,
          chunk.block_end - chunk.block_begin, layout.block_size};
}

ChunkLoss chunk_loss(const HeadProblem& problem, const HeadChunk& chunk, const at::Tensor& rows) {
  const at::Tensor logits = reducible(at::linear(rows, problem.input.lm_head));
  const at::Tensor label = chunk_rows(problem.layout.labels, chunk);
  const at::Tensor log_q = at::log_softmax(logits, -1);
  at::Tensor loss;
  if (problem.options.loss == LossType::kKl) {
    const at::Tensor log_p = teacher_log_probabilities(problem, chunk);
    loss = (log_p.exp() * (log_p - log_q)).sum(-1);
  } else {
    loss = -log_q.gather(1, label.unsqueeze(1)).squeeze(1);
  }
  const at::Tensor weights = row_weights(problem, chunk, loss);
  return {(weights * loss).sum(), weights.sum(), logits.argmax(-1) == label, {}};
}

ChunkLoss chunk_loss_in_place(const HeadProblem& problem, const HeadChunk& chunk, const at::Tensor& rows,
                              bool with_gradient) {
  const at::NoGradGuard no_grad;
  at::Tensor logits = reducible(at::linear(rows, problem.input.lm_head));
  const at::Tensor label = chunk_rows(problem.layout.labels, chunk).unsqueeze(1);
  const auto [peak, best] = logits.max(1, /*keepdim=*/true);
  ChunkLoss result;
  result.correct = (best == label).squeeze(1);
  at::Tensor teacher;
  at::Tensor expected;  // the logit that the loss subtracts: the label's, or the mean under the teacher
  at::Tensor entropy;   // of the teacher, negated; absent for hard labels
  if (problem.options.loss == LossType::kKl) {
    const at::Tensor log_p = teacher_log_probabilities(problem, chunk);
    teacher = log_p.exp();
    entropy = (teacher * log_p).sum(1);
    expected = (teacher * logits).sum(1, /*keepdim=*/true);
  } else {
    expected = logits.gather(1, label);
  }
  logits.sub_(peak).exp_();
  const at::Tensor mass = logits.sum(1, /*keepdim=*/true);
  at::Tensor loss = (mass.log() + peak - expected).squeeze(1);
  if (entropy.defined()) {
    loss.add_(entropy);
  }
  const at::Tensor weights = row_weights(problem, chunk, loss);
  result.numerator = at::dot(weights, loss);
  result.denominator = weights.sum();
  if (!with_gradient) {
    return result;
  }
  logits.mul_(weights.unsqueeze(1) / mass);
  if (teacher.defined()) {
    logits.sub_(teacher.mul_(weights.unsqueeze(1)));
  } else {
    logits.scatter_add_(1, label, weights.neg().unsqueeze(1));
  }
  result.gradient = at::mm(logits.to(problem.input.lm_head.scalar_type()), problem.input.lm_head);
  return result;
}

}  // namespace dflash
