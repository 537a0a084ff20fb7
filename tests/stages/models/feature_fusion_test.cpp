// SPDX-License-Identifier: Apache-2.0
#include "stages/models/feature_fusion.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/error.h"
#include "tests/stages/models/golden_problem.h"

namespace dflash {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

struct FusionProblem {
  at::Tensor base = golden_uniform(1, {5, 12}, -1, 1);
  at::Tensor weight = golden_uniform(2, {4, 12}, -1, 1);
  Features joined() const { return {{}, base}; }
  Features loose() const {
    Features features;
    for (const auto& tap : base.split(4, 1)) {
      features.taps.push_back(tap.clone());
    }
    return features;
  }
};

TEST(FeatureFusion, GivesOneResultForBothFormsOfFeaturesAndOfFusion) {
  const FusionProblem problem;
  const auto expected = numbers(at::matmul(problem.base, problem.weight.t()));
  const auto near = Pointwise(DoubleNear(1e-12), expected);
  EXPECT_THAT(numbers(fuse_features(problem.joined(), problem.weight, FeatureFusion::kConcat)), near);
  EXPECT_THAT(numbers(fuse_features(problem.joined(), problem.weight, FeatureFusion::kSplit)), near);
  EXPECT_THAT(numbers(fuse_features(problem.loose(), problem.weight, FeatureFusion::kConcat)), near);
  EXPECT_THAT(numbers(fuse_features(problem.loose(), problem.weight, FeatureFusion::kSplit)), near);
}

TEST(FeatureFusion, CountsTheCopyThatConcatMakesOfLooseTaps) {
  const FusionProblem problem;
  std::int64_t copied = 0;
  fuse_features(problem.joined(), problem.weight, FeatureFusion::kConcat, &copied);
  fuse_features(problem.joined(), problem.weight, FeatureFusion::kSplit, &copied);
  fuse_features(problem.loose(), problem.weight, FeatureFusion::kSplit, &copied);
  EXPECT_EQ(copied, 0);
  fuse_features(problem.loose(), problem.weight, FeatureFusion::kConcat, &copied);
  EXPECT_EQ(copied, 5 * 12 * 8);
}

TEST(FeatureFusion, GivesTheWeightTheSameGradient) {
  const FusionProblem problem;
  const auto gradient = [&](FeatureFusion fusion) {
    at::Tensor weight = problem.weight.clone().set_requires_grad(true);
    fuse_features(problem.loose(), weight, fusion).square().sum().backward();
    return numbers(weight.grad());
  };
  EXPECT_THAT(gradient(FeatureFusion::kSplit), Pointwise(DoubleNear(1e-12), gradient(FeatureFusion::kConcat)));
}

TEST(FeatureFusion, RefusesAWidthThatTheWeightDoesNotTake) {
  const FusionProblem problem;
  const Features two{{problem.base.narrow(1, 0, 4), problem.base.narrow(1, 4, 4)}, {}};
  EXPECT_THROW(fuse_features(two, problem.weight, FeatureFusion::kSplit), InternalError);
}

}  // namespace
}  // namespace dflash
