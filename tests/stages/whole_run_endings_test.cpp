// SPDX-License-Identifier: Apache-2.0
// Runs that do not end well: each says why by name, leaves a report, and loses nothing that was saved.
#include <filesystem>
#include <fstream>

#include "framework/checkpoint/checkpoint_store.h"
#include "tests/stages/whole_run.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class WholeRunEndingsTest : public WholeRunTest {
 protected:
  [[nodiscard]] std::vector<std::int64_t> sound_checkpoints(const std::string& name) const {
    std::vector<std::int64_t> steps;
    for (const Checkpoint& checkpoint : CheckpointStore{path(name) / "checkpoints"}.list()) {
      EXPECT_EQ(CheckpointStore::verify(checkpoint.folder), std::nullopt);
      steps.push_back(checkpoint.step);
    }
    return steps;
  }
  [[nodiscard]] std::string first_error(const std::string& name) const {
    return report(name).at("errors").at(0).get<std::string>();
  }
};

TEST_F(WholeRunEndingsTest, ATrainingThatDivergesFailsByNameAndExportsNothing) {
  EXPECT_EQ(
      train("run", 12, {"--set", "run.evaluate=false", "--set", "drafter.lr=1e30", "--set", "run.checkpoint.every=1"}),
      1);
  EXPECT_EQ(report("run").at("outcome").at("code"), 1);
  EXPECT_THAT(first_error("run"), AllOf(HasSubstr("stage 'drafter' (step "), HasSubstr("the training has diverged: "),
                                        HasSubstr("try a lower drafter.lr")));
  EXPECT_FALSE(std::filesystem::exists(path("run") / "export"));
  EXPECT_THAT(sound_checkpoints("run"), Not(testing::IsEmpty()));
  EXPECT_LT(sound_checkpoints("run").back(), 12);
}

TEST_F(WholeRunEndingsTest, ATargetThatDivergesFailsByNameToo) {
  EXPECT_EQ(
      run({"run", "graphs/pretrain_target.json", "--quiet", "--run-dir", path("run").string(), "--set", "run.steps=6",
           "--set", "batch.pack_length=512", "--set", "run.evaluate=false", "--set", "target.lr=1e30"}),
      1);
  EXPECT_THAT(first_error("run"), HasSubstr("stage 'target' (step "));
  EXPECT_FALSE(std::filesystem::exists(path("run") / "export"));
}

}  // namespace
}  // namespace dflash
