// SPDX-License-Identifier: Apache-2.0
#include "stages/models/generate.h"

#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "tests/stages/models/target_goldens.h"

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::ThrowsMessage;

class Generate : public testing::Test {
 protected:
  [[nodiscard]] std::vector<std::vector<std::int64_t>> run(const std::vector<Prompt>& prompts,
                                                           const GenerateOptions& options) const {
    return generate(goldens_.weights, goldens_.config, prompts, options);
  }
  TargetGoldens goldens_{"untied_new"};
  Prompt long_{.ids = goldens_.ids(0), .row_id = 70};
  Prompt short_{.ids = goldens_.ids(1), .row_id = 4};
};

TEST_F(Generate, WritesTheGreedyTextOfTransformers) {
  std::vector<std::string> names = kTargetGoldens;
  std::ranges::copy(own_target_goldens(), std::back_inserter(names));
  for (const std::string& name : names) {
    const TargetGoldens target(name);
    const std::vector<Prompt> prompts{{.ids = target.ids(0)}, {.ids = target.ids(1)}};
    EXPECT_THAT(generate(target.weights, target.config, prompts, {.max_new_tokens = 12}),
                ElementsAre(target.greedy(0), target.greedy(1)))
        << name;
  }
}

TEST_F(Generate, EndsARowWithItsStopTokenAndGoesOnWithTheOthers) {
  const std::int64_t stop = goldens_.greedy(0)[2];
  const auto texts = run({long_, short_, short_}, {.max_new_tokens = 12, .stop_ids = {stop}});
  const auto until_stop = [&](std::vector<std::int64_t> ids) {
    const auto found = std::ranges::find(ids, stop);
    ids.erase(found == ids.end() ? found : found + 1, ids.end());
    return ids;
  };
  ASSERT_THAT(until_stop(goldens_.greedy(0)), SizeIs(testing::Le(3)));
  EXPECT_THAT(texts, ElementsAre(until_stop(goldens_.greedy(0)), until_stop(goldens_.greedy(1)),
                                 until_stop(goldens_.greedy(1))));
}

TEST_F(Generate, SamplesTheSameTextInAnyBatch) {
  const GenerateOptions options{.max_new_tokens = 20, .sampling = {.temperature = 1.0, .seed = 9}};
  const auto together = run({long_, short_}, options);
  EXPECT_THAT(run({short_, long_}, options), ElementsAre(together[1], together[0]));
  EXPECT_THAT(run({long_}, options), ElementsAre(together[0]));
}

TEST_F(Generate, SamplesOtherTextsForOtherSeedsAndRowIds) {
  const GenerateOptions options{.max_new_tokens = 20, .sampling = {.temperature = 1.0, .seed = 9}};
  const auto text = run({long_}, options);
  EXPECT_NE(run({long_}, {.max_new_tokens = 20, .sampling = {.temperature = 1.0, .seed = 10}}), text);
  EXPECT_NE(run({{.ids = long_.ids, .row_id = 71}}, options), text);
}

TEST_F(Generate, RefusesPromptsThatCannotBeContinued) {
  EXPECT_THAT([&] { (void)run({{.ids = {}, .row_id = 8}}, {.max_new_tokens = 1}); },
              ThrowsMessage<UserError>(HasSubstr("prompt 8 is empty")));
  EXPECT_THAT([&] { (void)run({{.ids = {3, 96}}}, {.max_new_tokens = 1}); },
              ThrowsMessage<UserError>(HasSubstr("token id 96, allowed 0 to 95")));
  EXPECT_THAT([&] { (void)run({long_}, {.max_new_tokens = 112}); },
              ThrowsMessage<UserError>(HasSubstr("max_position_embeddings 128")));
  EXPECT_THAT([&] { (void)run({long_}, {.max_new_tokens = 0}); },
              ThrowsMessage<UserError>(HasSubstr("max_new_tokens")));
}

TEST_F(Generate, ReturnsNothingForNoPrompts) { EXPECT_THAT(run({}, {.max_new_tokens = 3}), SizeIs(0)); }

}  // namespace
}  // namespace dflash
