// SPDX-License-Identifier: Apache-2.0
// What people who train such drafters have reported to go wrong in packing, masks and capturing, each as a test of what
// must come out; ids as in docs/field_reports.md.
#include <algorithm>
#include <map>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stages/models/draft_head.h"
#include "stages/models/drafter.h"
#include "tests/stages/models/golden_problem.h"
#include "tests/stages/models/target_goldens.h"

namespace dflash {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pointwise;

/// The golden drafter on documents of these lengths, wholly supervised, with some rows of padding.
GoldenProblem problem_of(const std::vector<std::int64_t>& lengths, std::int64_t padding = 0,
                         at::ScalarType type = at::kDouble) {
  GoldenProblem problem = golden_problem(GoldenLayout::kFull, type);
  problem.documents.clear();
  std::int64_t end = 0;
  for (const std::int64_t length : lengths) {
    problem.documents.push_back({.row = problem.documents.size(), .begin = end, .length = length});
    end += length;
  }
  const std::int64_t rows = end + padding;
  problem.features.base = golden_uniform(3, {rows, 32}, -1, 1).to(type);
  problem.ids = std::vector<std::int64_t>(static_cast<std::size_t>(rows), 5);
  for (std::int64_t at = 0; at < rows; ++at) {
    problem.ids[static_cast<std::size_t>(at)] = (at * 7 + 3) % 39;
  }
  problem.loss_mask.assign(static_cast<std::size_t>(rows), 0);
  std::fill_n(problem.loss_mask.begin(), end, 1);
  problem.anchors.clear();
  return problem;
}

at::Tensor hidden_of(const GoldenProblem& problem, const BlockLayout& layout, const DrafterOptions& options = {}) {
  const at::NoGradGuard no_grad;
  return drafter_forward(problem.config, problem.weights, problem.embedding, problem.features, layout, options);
}

/// Hidden states of the block behind `anchor`.
at::Tensor block_at(const GoldenProblem& problem, std::int64_t anchor) {
  const BlockLayout layout = problem.layout(std::ssize(problem.anchors));
  const auto block = std::ranges::find(layout.anchors, anchor) - layout.anchors.begin();
  return hidden_of(problem, layout).narrow(0, block * 4, 4);
}

TEST(FieldReports, P01BlocksSeeNoFeatureOfLaterOrOverlappingBlocks) {
  GoldenProblem problem = problem_of({64});
  for (std::int64_t anchor = 1; anchor < 63; anchor += 2) {
    problem.anchors.push_back(anchor);
  }
  problem.anchors.push_back(62);
  ASSERT_EQ(problem.anchors.size(), 32U);
  const std::int64_t anchor = 21;
  const at::Tensor before = block_at(problem, anchor);
  GoldenProblem noisy = problem;
  noisy.features.base = problem.features.base.clone();
  noisy.features.base.narrow(0, anchor, 64 - anchor).add_(golden_uniform(77, {64 - anchor, 32}, -9, 9));
  EXPECT_TRUE(at::equal(block_at(noisy, anchor), before));
  problem.anchors = {anchor};
  EXPECT_THAT(numbers(block_at(problem, anchor)), Pointwise(DoubleNear(1e-12), numbers(before)));
}

TEST(FieldReports, P02BlocksDoNotCrossTheBordersOfPackedDocuments) {
  GoldenProblem problem = problem_of({10, 7});
  std::vector<std::int64_t> legal;
  for (const PackDocument& document : problem.documents) {
    const auto places = eligible_anchors(problem.loss_mask, document);
    legal.insert(legal.end(), places.begin(), places.end());
  }
  ASSERT_EQ(legal.size(), 15U);  // 9 of 10, 6 of 7
  problem.anchors = legal;
  const BlockLayout layout = problem.layout(15);
  for (std::int64_t row = 0; row < layout.num_supervised(); ++row) {
    const auto block = layout.supervised_blocks[row].item<std::int64_t>();
    const auto label = layout.supervised_tokens[row].item<std::int64_t>();
    EXPECT_EQ(label < 10, layout.anchors[static_cast<std::size_t>(block)] < 10);
  }
  GoldenProblem alone = problem_of({7});
  alone.features.base = problem.features.base.narrow(0, 10, 7).clone();
  alone.ids.assign(problem.ids.begin() + 10, problem.ids.begin() + 17);
  alone.anchors = {0, 3, 5};
  for (const std::int64_t anchor : alone.anchors) {
    EXPECT_THAT(numbers(block_at(alone, anchor)),
                Pointwise(DoubleNear(1e-12), numbers(block_at(problem, 10 + anchor))));
  }
}

TEST(FieldReports, P03MixedLengthsAndDeadBlocksStayFiniteInEveryAttention) {
  std::map<AttentionForm, std::vector<double>> outcomes;
  for (const AttentionForm form : {AttentionForm::kDense, AttentionForm::kSliced}) {
    GoldenProblem problem = problem_of({40, 9}, 15, at::kFloat);
    problem.anchors = {0, 3, 17, 38, 40, 47};
    const BlockLayout layout = problem.layout(8);
    const at::Tensor hidden = drafter_forward(problem.config, problem.weights, problem.embedding, problem.features,
                                              layout, {.attention = form});
    const LossSums sums = draft_loss(hidden, {problem.head, {}}, layout, {.gamma = 4});
    (sums.numerator / sums.denominator).backward();
    const at::Tensor gradients = flat_gradients(problem.weights);
    EXPECT_TRUE(at::isfinite(hidden).all().item<bool>());
    EXPECT_TRUE(at::isfinite(gradients).all().item<bool>());
    outcomes[form] =
        numbers(at::cat({(sums.numerator / sums.denominator).detach().reshape(1).to(at::kDouble), gradients}));
  }
  EXPECT_THAT(outcomes[AttentionForm::kSliced], Pointwise(DoubleNear(1e-5), outcomes[AttentionForm::kDense]));
}

TEST(FieldReports, P04RowsWithFewPlacesUseJustThose) {
  const auto places = [](const std::vector<std::uint8_t>& mask) {
    return sample_anchors(mask, {{.row = 0, .begin = 0, .length = std::ssize(mask)}}, {.num_anchors = 8});
  };
  EXPECT_THAT(places({0, 0, 0, 0, 1, 1, 1, 0}), ElementsAre(4, 5));  // fewer tokens than a block has
  EXPECT_THAT(places({1, 1, 1}), ElementsAre(0, 1));                 // a row shorter than a block
  EXPECT_THAT(places({0, 0, 0, 0, 0, 0, 1, 1}), ElementsAre(6));     // only at the very end
  EXPECT_THAT(places({0, 1, 0, 1, 1, 0}), ElementsAre(3));           // one
  EXPECT_THAT(places({0, 0, 0, 1}), IsEmpty());                      // none
}

/// "anchor slot label" of every supervised slot.
std::vector<std::array<std::int64_t, 3>> supervised_slots(const BlockLayout& layout) {
  std::vector<std::array<std::int64_t, 3>> slots;
  for (std::int64_t row = 0; row < layout.num_supervised(); ++row) {
    const auto block = layout.supervised_blocks[row].item<std::int64_t>();
    slots.push_back({layout.anchors[static_cast<std::size_t>(block)], layout.supervised_slots[row].item<std::int64_t>(),
                     layout.labels[row].item<std::int64_t>()});
  }
  return slots;
}

TEST(FieldReports, L01TheFirstTokenOfTheAnswerIsTheFirstAnchor) {
  GoldenProblem problem = problem_of({32});
  for (std::int64_t at = 0; at < 32; ++at) {
    problem.ids[static_cast<std::size_t>(at)] = at;
    problem.loss_mask[static_cast<std::size_t>(at)] = at >= 10 ? 1 : 0;
  }
  const auto legal = eligible_anchors(problem.loss_mask, problem.documents[0]);
  EXPECT_EQ(legal.front(), 10);
  EXPECT_EQ(legal.back(), 30);
  problem.anchors = {10, 29};
  using Slot = std::array<std::int64_t, 3>;
  EXPECT_THAT(supervised_slots(problem.layout(2)),
              ElementsAre(Slot{10, 1, 11}, Slot{10, 2, 12}, Slot{10, 3, 13}, Slot{29, 1, 30}, Slot{29, 2, 31}));
}

TEST(FieldReports, L02EverySlotPredictsTheTokenAtItsOwnPlace) {
  const GoldenProblem problem = golden_problem();
  const auto slots = supervised_slots(problem.layout());
  EXPECT_EQ(slots.size(), 12U);
  for (const auto& [anchor, slot, label] : slots) {
    const auto place = static_cast<std::size_t>(anchor + slot);
    EXPECT_EQ(label, problem.ids[place]);
    EXPECT_EQ(problem.loss_mask[place], 1);
  }
}

TEST(FieldReports, D08FeaturesBelongToTheirTokensInAnyBatchAndAgain) {
  const TargetGoldens target{"qwen2_tied"};
  const auto taps = [&](const std::vector<std::int64_t>& ids, const std::vector<std::int64_t>& starts) {
    std::vector<at::Tensor> positions;
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
      positions.push_back(at::arange(starts[i + 1] - starts[i]));
    }
    const PackedTokens tokens{
        .ids = at::tensor(ids, at::kLong), .positions = at::cat(positions), .document_starts = starts};
    return at::cat(target_forward(target.weights, target.config, tokens, {.tap_ids = {0, 1}}).taps, 1);
  };
  std::vector<std::int64_t> packed;
  std::vector<std::int64_t> starts{0};
  std::vector<at::Tensor> alone;
  for (const std::int64_t length : {5, 9, 17}) {
    std::vector<std::int64_t> prompt(static_cast<std::size_t>(length));
    for (std::int64_t at = 0; at < length; ++at) {
      prompt[static_cast<std::size_t>(at)] = 2 + (length * 5 + at * 3) % 40;
    }
    alone.push_back(taps(prompt, {0, length}));
    packed.insert(packed.end(), prompt.begin(), prompt.end());
    starts.push_back(std::ssize(packed));
  }
  for (int time = 0; time < 2; ++time) {
    EXPECT_LT(relative_difference(taps(packed, starts), at::cat(alone)), 1e-5);
  }
}

}  // namespace
}  // namespace dflash
