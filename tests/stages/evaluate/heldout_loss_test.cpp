// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/heldout_loss.h"

#include <cmath>

#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "tests/stages/evaluate/zlab_golden.h"

namespace dflash {
namespace {

using test::golden_target;

HeldoutLoss loss_of(const std::vector<std::vector<std::int64_t>>& documents, std::int64_t pack_length) {
  return heldout_loss(golden_target().weights, golden_target().config, documents, pack_length);
}

const std::vector<std::vector<std::int64_t>> kDocuments{{4, 9, 17, 30, 22, 5}, {8, 8, 41}, {60, 12, 33, 7}};

TEST(HeldoutLoss, DoesNotDependOnHowDocumentsArePacked) {
  const HeldoutLoss together = loss_of(kDocuments, 100);
  EXPECT_EQ(together.tokens, 10);
  EXPECT_NEAR(together.nats_per_token, loss_of(kDocuments, 6).nats_per_token, 1e-5);
}

TEST(HeldoutLoss, IsTheMeanOverTokensNotOverDocuments) {
  double sum = 0.0;
  for (const auto& document : kDocuments) {
    const HeldoutLoss alone = loss_of({document}, 100);
    sum += alone.nats_per_token * static_cast<double>(alone.tokens);
  }
  EXPECT_NEAR(loss_of(kDocuments, 100).nats_per_token, sum / 10.0, 1e-5);
}

TEST(HeldoutLoss, IsTheLogOfTheVocabularyForATargetThatKnowsNothing) {
  TargetWeights weights = golden_target().weights;
  weights.head = at::zeros_like(weights.head);
  const HeldoutLoss loss = heldout_loss(weights, golden_target().config, kDocuments, 100);
  EXPECT_NEAR(loss.nats_per_token, std::log(static_cast<double>(golden_target().config.vocab_size)), 1e-5);
}

TEST(HeldoutLoss, PredictsNothingInDocumentsOfOneToken) { EXPECT_EQ(loss_of({{4}, {5}, {}}, 100).tokens, 0); }

TEST(HeldoutLoss, AsksBeforeEachPackWhetherToGoOn) {
  EXPECT_THROW(
      heldout_loss(golden_target().weights, golden_target().config, kDocuments, 6, [] { throw Interrupted("enough"); }),
      Interrupted);
}

TEST(HeldoutLoss, RefusesADocumentLongerThanAPack) { EXPECT_THROW(loss_of(kDocuments, 5), UserError); }

}  // namespace
}  // namespace dflash
