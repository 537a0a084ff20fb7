// SPDX-License-Identifier: Apache-2.0
#include "stages/session/model_sections.h"

#include <gmock/gmock.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class ResolveDrafterConfig : public testing::Test {
 protected:
  ResolveDrafterConfig() : target_{read_target_config(DFLASH_SOURCE_DIR "/configs/tiny/target")} {
    section_.config.set(DFLASH_SOURCE_DIR "/configs/tiny/drafter.json");
  }
  [[nodiscard]] DrafterConfig resolve() const { return resolve_drafter_config(section_, target_); }

  DrafterSection section_;
  TargetConfig target_;
};

TEST_F(ResolveDrafterConfig, FillsWhatTheTargetSettles) {
  const DrafterConfig config = resolve();
  EXPECT_EQ(config.vocab_size, target_.vocab_size);
  EXPECT_EQ(config.num_target_layers, target_.num_hidden_layers);
  EXPECT_EQ(config.rope_theta, target_.rope_theta);
  EXPECT_THAT(config.target_layer_ids, ElementsAre(1, 3, 4));
}

TEST_F(ResolveDrafterConfig, LetsTheGraphOverrideTheFile) {
  section_.block_size.set(4);
  section_.layers.set("hybrid");
  section_.window.set(32);
  section_.taps.set({0, 2});
  const DrafterConfig config = resolve();
  EXPECT_EQ(config.block_size, 4);
  EXPECT_THAT(config.layer_types, ElementsAre(LayerKind::kSliding, LayerKind::kFull));
  EXPECT_EQ(config.window, 32);
  EXPECT_THAT(config.target_layer_ids, ElementsAre(0, 2));
}

TEST_F(ResolveDrafterConfig, RefusesTheLastLayerAsATap) {
  section_.taps.set({1, 5});
  EXPECT_THAT([&] { static_cast<void>(resolve()); }, ThrowsMessage<UserError>(HasSubstr("5")));
}

TEST_F(ResolveDrafterConfig, RefusesAWindowBelowTheBlock) {
  section_.layers.set("sliding");
  section_.window.set(4);
  EXPECT_THAT([&] { static_cast<void>(resolve()); }, ThrowsMessage<UserError>(HasSubstr("window")));
}

TEST_F(ResolveDrafterConfig, RefusesAnotherHiddenSizeThanTheTargets) {
  target_.hidden_size = 64;
  EXPECT_THAT([&] { static_cast<void>(resolve()); }, ThrowsMessage<UserError>(HasSubstr("found 128, target 64")));
}

TEST_F(ResolveDrafterConfig, SaysWhichFileCannotBeRead) {
  section_.config.set("missing.json");
  EXPECT_THAT([&] { static_cast<void>(resolve()); },
              ThrowsMessage<UserError>(HasSubstr("models.drafter.config: cannot read 'missing.json'")));
}

}  // namespace
}  // namespace dflash
