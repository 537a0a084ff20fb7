// SPDX-License-Identifier: Apache-2.0
#include "stages/drafter/drafter_step.h"

#include <filesystem>
#include <functional>
#include <limits>

#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "framework/core/snapshot.h"
#include "framework/core/stage_check.h"
#include "framework/core/stage_runner.h"
#include "stages/extract/extract_features.h"
#include "stages/pack/block_packer.h"
#include "stages/target/target_forward.h"
#include "tests/stages/tiny_models.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;
using testing::ThrowsMessage;

/// One batch, made by the stages that make it in a run.
DraftBatch batch_of(const TinyModels& tiny, TokenPack pack, BlockPacker::Mask mask = BlockPacker::Mask::kIntervals) {
  TargetForward target;
  target.final_hidden.set(true);
  StageRunner target_runner{target, tiny.env()};
  target_runner.feed(target.in, std::move(pack));
  target_runner.fire();
  ExtractFeatures extract;
  StageRunner extract_runner{extract, tiny.env()};
  extract_runner.feed(extract.in, target_runner.outputs(target.out).at(0));
  extract_runner.fire();
  BlockPacker packer;
  packer.num_anchors.set(8);
  packer.mask.set(mask);
  StageRunner pack_runner{packer, tiny.env()};
  pack_runner.feed(packer.features, extract_runner.outputs(extract.out).at(0));
  pack_runner.fire();
  return pack_runner.outputs(packer.batches).at(0);
}

struct Losses {
  std::vector<float> losses;
  std::vector<std::int64_t> steps;
};

Losses train(const std::function<void(DrafterStep&)>& change, int batches = 6,
             BlockPacker::Mask mask = BlockPacker::Mask::kIntervals) {
  const TinyModels tiny;
  DrafterStep drafter;
  drafter.optimizer.lr.set(0.02);
  change(drafter);
  StageRunner runner{drafter, tiny.env(batches)};
  Losses made;
  for (int i = 0; i < batches; ++i) {
    runner.feed(drafter.batches, batch_of(tiny, tiny_pack({12, 9}, 2 * (i % 2)), mask));
    runner.fire();
  }
  for (const StepMetrics& metrics : runner.outputs(drafter.metrics)) {
    made.losses.push_back(metrics.values[0].item<float>());
  }
  made.steps = runner.completed_steps();
  return made;
}

TEST(DrafterStep, LearnsAndCountsOneStepABatch) {
  const Losses made = train([](DrafterStep&) {}, 60);
  EXPECT_EQ(made.steps.size(), 60U);
  EXPECT_LT(made.losses.back(), made.losses.front() - 0.2F);
}

TEST(DrafterStep, GivesEqualLossesInEveryVariantThatMayNotChangeThem) {
  const Losses plain = train([](DrafterStep&) {});
  const auto equal = [&](const std::function<void(DrafterStep&)>& change, BlockPacker::Mask mask) {
    EXPECT_THAT(train(change, 6, mask).losses, Pointwise(FloatNear(2e-5F), plain.losses));
  };
  const auto intervals = BlockPacker::Mask::kIntervals;
  equal([](DrafterStep& d) { d.fc.set(FeatureFusion::kSplit); }, intervals);
  equal([](DrafterStep& d) { d.attention.set(AttentionForm::kDense); }, intervals);
  equal([](DrafterStep& d) { d.attention.set(AttentionForm::kDense); }, BlockPacker::Mask::kDense);
  equal([](DrafterStep& d) { d.slice_blocks.set(3); }, intervals);
  equal([](DrafterStep& d) { d.head.set(HeadForm::kWhole); }, intervals);
  equal([](DrafterStep& d) { d.head.set(HeadForm::kRecompute); }, intervals);
  equal([](DrafterStep& d) { d.head_chunk_blocks.set(2); }, intervals);
  equal([](DrafterStep& d) { d.optimizer.fused.set(false); }, intervals);
}

TEST(DrafterStep, TakesOneStepForSeveralBatchesWhenAccumulating) {
  const Losses made = train([](DrafterStep& d) { d.accumulate.set(3); });
  EXPECT_THAT(made.steps, ElementsAre(1, 2));
}

TEST(DrafterStep, TrainsWithEveryLoss) {
  for (const LossType type : {LossType::kCe, LossType::kDpace, LossType::kKl}) {
    const Losses made = train([&](DrafterStep& d) { d.loss_type.set(type); }, 30);
    EXPECT_LT(made.losses.back(), made.losses.front());
  }
}

TEST(DrafterStep, SaysThatTheFusedAttentionIsNotInThisVersion) {
  DrafterStep drafter;
  EXPECT_THAT(drafter.attention.assign(Json("fused")),
              testing::Optional(HasSubstr("which this version cannot do; allowed: dense | sliced")));
}

/// Says what is wrong with a drafter behind a target, in a graph as a run has it.
std::vector<std::string> mistakes_of_kl(bool final_hidden) {
  const TinyModels tiny;
  Graph graph;
  auto& target = graph.add<TargetForward>("target");
  auto& extract = graph.add<ExtractFeatures>("extract");
  auto& pack = graph.add<BlockPacker>("pack");
  auto& drafter = graph.add<DrafterStep>("drafter");
  graph.connect(target.out, extract.in);
  graph.connect(extract.out, pack.features);
  graph.connect(pack.batches, drafter.batches);
  target.final_hidden.set(final_hidden);
  drafter.loss_type.set(LossType::kKl);
  Diagnostics diagnostics;
  GraphMistakes mistakes{diagnostics};
  const auto env_of = [&](const Graph::Vertex& vertex) {
    StageEnv env = tiny.env();
    env.name = vertex.name;
    return env;
  };
  check_stages(graph, env_of, mistakes);
  return diagnostics.mistakes();
}

TEST(DrafterStep, NeedsTheTargetsLastHiddenStateForKl) {
  EXPECT_THAT(mistakes_of_kl(false),
              ElementsAre(HasSubstr("/stages/drafter/params/loss/type: kl is measured against")));
  EXPECT_THAT(mistakes_of_kl(false), ElementsAre(HasSubstr("set target.final_hidden to true")));
  EXPECT_THAT(mistakes_of_kl(true), testing::IsEmpty());
}

TEST(DrafterStep, RefusesToTrainWithoutANumberOfSteps) {
  const TinyModels tiny;
  DrafterStep drafter;
  EXPECT_THAT(([&] { StageRunner runner{drafter, tiny.env(0)}; }),
              ThrowsMessage<UserError>(HasSubstr("/run/steps: found 0, allowed: at least 1")));
}

TEST(DrafterStep, RefusesBlocksOfAnotherSize) {
  const TinyModels tiny;
  DrafterStep drafter;
  StageRunner runner{drafter, tiny.env()};
  DraftBatch batch = batch_of(tiny, tiny_pack({12, 9}));
  batch.layout.block_size += 1;
  runner.feed(drafter.batches, std::move(batch));
  EXPECT_THAT([&] { runner.fire(); }, ThrowsMessage<UserError>(HasSubstr("its batch is laid out in blocks of ")));
}

TEST(DrafterStep, SavesNothingThatIsNotFinite) {
  const TemporaryFolder folder;
  const TinyModels tiny;
  DrafterStep drafter;
  StageRunner runner{drafter, tiny.env()};
  tiny.models().drafter_weights()->norm.detach().fill_(std::numeric_limits<float>::infinity());
  EXPECT_THAT([&] { (void)runner.save(folder.path()); },
              ThrowsMessage<StageError>(AllOf(HasSubstr("stage 'stage' (step 0)"), HasSubstr("not finite"))));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(DrafterStep, GoesOnWithTheSameLossesAfterALoad) {
  const TemporaryFolder folder;
  const TinyModels tiny;
  const auto feed = [&](StageRunner& runner, DrafterStep& drafter, int i) {
    runner.feed(drafter.batches, batch_of(tiny, tiny_pack({12, 9}, i)));
    runner.fire();
  };
  DrafterStep whole;
  StageRunner whole_runner{whole, tiny.env(4)};
  feed(whole_runner, whole, 0);
  feed(whole_runner, whole, 1);
  const Snapshot cut = whole_runner.save(folder.path());
  DrafterStep resumed;
  StageRunner resumed_runner{resumed, tiny.env(4)};
  resumed_runner.load(cut);
  static_cast<void>(whole_runner.outputs(whole.metrics));
  for (int i = 2; i < 4; ++i) {
    feed(whole_runner, whole, i);
    feed(resumed_runner, resumed, i);
  }
  const std::vector<StepMetrics> expected = whole_runner.outputs(whole.metrics);
  const std::vector<StepMetrics> found = resumed_runner.outputs(resumed.metrics);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].step, expected[i].step);
    EXPECT_TRUE(at::equal(found[i].values, expected[i].values));
  }
}

}  // namespace
}  // namespace dflash
