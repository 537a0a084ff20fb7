// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/sweep_settings.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/analysis/sweep_text.h"
#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

class SweepSettingsTest : public testing::Test {
 protected:
  SweepSettingsTest() {
    Json json = sweep_settings(sweep_);
    SweepResult result;
    for (const SweepVariant& variant : sweep_.variants) {
      result.rows.push_back({.variant = variant, .runs = {}, .against_first = {}, .losses = {}});
    }
    json.update(sweep_json(result));
    write_durably(folder_.path() / "sweep.json", json.dump());
  }

  [[nodiscard]] auto resuming() const {
    return [this] { require_same_sweep(sweep_); };
  }

  TemporaryFolder folder_;
  Sweep sweep_{.program = "",
               .name = "",
               .graph = {.path = "g.json", .overlays = {"o.json"}, .swaps = {"a=b"}, .sets = {"run.steps=4"}},
               .variants = {{.name = "plain"}, {.name = "quick", .sets = {"a.x=1"}}},
               .resolved = {},
               .directory = folder_.path(),
               .rounds = 2};
};

TEST_F(SweepSettingsTest, AreThoseOfTheSameSweep) {
  EXPECT_NO_THROW(resuming()());
  sweep_.rounds = 3;
  EXPECT_NO_THROW(resuming()());
}

TEST_F(SweepSettingsTest, NameAllThatDiffers) {
  sweep_.variants[1].sets = {"a.x=2"};
  sweep_.graph.overlays = {"other.json"};
  sweep_.rounds = 1;
  EXPECT_THAT(resuming(),
              ThrowsMessage<UserError>(AllOf(HasSubstr(R"(overlay (["o.json"] there, ["other.json"] here))"),
                                             HasSubstr(R"(variant.quick.set (["a.x=1"] there, ["a.x=2"] here))"),
                                             HasSubstr("rounds (2 there, 1 here)"), Not(HasSubstr("swap")))));
}

TEST_F(SweepSettingsTest, SeeAnotherOrder) {
  std::swap(sweep_.variants[0], sweep_.variants[1]);
  EXPECT_THAT(resuming(),
              ThrowsMessage<UserError>(HasSubstr(R"(variants (["plain","quick"] there, ["quick","plain"] here))")));
}

}  // namespace
}  // namespace dflash
