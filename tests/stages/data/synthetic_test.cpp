// SPDX-License-Identifier: Apache-2.0
#include "stages/data/synthetic.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/error.h"
#include "tests/stages/data/source_checks.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::HasSubstr;
using testing::Lt;
using testing::ThrowsMessage;

class SyntheticTest : public testing::Test, protected CodecEnv {
 protected:
  [[nodiscard]] std::vector<std::int64_t> lengths(Synthetic& stage) const {
    stage.rows.set(2000);
    StageRunner runner{stage, env()};
    std::vector<std::int64_t> found;
    for (const Document& document : documents(runner, stage, 3000)) {
      found.push_back(static_cast<std::int64_t>(document.ids.size()));
    }
    return found;
  }
};

double mean(const std::vector<std::int64_t>& values) {
  return static_cast<double>(std::accumulate(values.begin(), values.end(), std::int64_t{0})) /
         static_cast<double>(values.size());
}

TEST_F(SyntheticTest, DrawsIdsBelowTheVocabularyAndMasksTheBeginning) {
  Synthetic stage;
  stage.vocab_size.set(7);
  stage.length.set(Synthetic::Length::kFixed);
  stage.mean_length.set(100);
  stage.unsupervised_fraction.set(0.25);
  StageRunner runner{stage, env()};
  const Document document = documents(runner, stage, 1).at(0);
  EXPECT_EQ(document.ids.size(), 100U);
  EXPECT_THAT(document.ids, Each(AllOf(Ge(0), Lt(7))));
  std::vector<std::uint8_t> mask(25, 0);
  mask.insert(mask.end(), 75, 1);
  EXPECT_EQ(document.loss_mask, mask);
}

TEST_F(SyntheticTest, TakesTheTargetsVocabularyAndEndsAfterItsRows) {
  Synthetic stage;
  stage.rows.set(3);
  StageRunner runner{stage, env()};
  const std::vector<Document> found = documents(runner, stage, 10);
  EXPECT_EQ(found.size(), 3U);
  EXPECT_TRUE(runner.ended());
  EXPECT_THAT(found[0].ids, Each(Lt(codec().vocab_rows)));
}

TEST_F(SyntheticTest, UniformLengthsFillTheirRange) {
  Synthetic stage;
  stage.min_length.set(10);
  stage.max_length.set(20);
  const std::vector<std::int64_t> found = lengths(stage);
  EXPECT_EQ(*std::min_element(found.begin(), found.end()), 10);
  EXPECT_EQ(*std::max_element(found.begin(), found.end()), 20);
  EXPECT_NEAR(mean(found), 15.0, 0.4);
}

TEST_F(SyntheticTest, NormalLengthsLieAroundTheirMeanWithinTheRange) {
  Synthetic stage;
  stage.length.set(Synthetic::Length::kNormal);
  stage.mean_length.set(200);
  stage.deviation.set(30);
  const std::vector<std::int64_t> found = lengths(stage);
  EXPECT_NEAR(mean(found), 200.0, 3.0);
  EXPECT_THAT(found, Each(AllOf(Ge(64), testing::Le(512))));
}

TEST_F(SyntheticTest, GoesOnWithTheSameItemsAfterLoad) {
  expect_same_after_load<Synthetic>([](Synthetic&) {}, env(), 5, 5);
}

TEST_F(SyntheticTest, RefusesLengthsThatContradictEachOther) {
  Synthetic stage;
  stage.min_length.set(600);
  EXPECT_THAT([&] { StageRunner(stage, env()); },
              ThrowsMessage<UserError>(HasSubstr("/min_length: found 600, allowed: at most max_length, which is 512")));
  stage.min_length.set(300);
  stage.length.set(Synthetic::Length::kFixed);
  EXPECT_THAT(
      [&] { StageRunner(stage, env()); },
      ThrowsMessage<UserError>(HasSubstr("/mean_length: found 256, allowed: from min_length 300 to max_length 512")));
}

TEST_F(SyntheticTest, RefusesIdsBeyondTheTargetsVocabulary) {
  Synthetic stage;
  stage.vocab_size.set(1025);
  EXPECT_THAT(
      [&] { StageRunner(stage, env()); },
      ThrowsMessage<UserError>(HasSubstr("/vocab_size: found 1025, allowed: at most the rows of the target's")));
}

TEST_F(SyntheticTest, RefusesRowsLongerThanTheTargetTakes) {
  codec().max_positions = 511;
  Synthetic stage;
  EXPECT_THAT(
      [&] { StageRunner(stage, env()); },
      ThrowsMessage<UserError>(HasSubstr("/max_length: found 512, allowed: at most the target's max_position")));
}

}  // namespace
}  // namespace dflash
