// SPDX-License-Identifier: Apache-2.0
#include "stages/export/trained_drafter.h"

#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/checkpoint/checkpoint_store.h"
#include "framework/core/error.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

void write_file(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

fs::path make_run(const fs::path& run, const std::vector<std::string>& drafter_stages) {
  write_file(run / "resolved.json", R"({"graph": {"name": "train"}})");
  const CheckpointStore::Fill fill = [&](const fs::path& folder) {
    for (const std::string& stage : drafter_stages) {
      write_file(folder / stage / "drafter.safetensors", "weights");
    }
    write_file(folder / "cut.json", "{}");
  };
  CheckpointStore store(run / "checkpoints");
  store.write(100, std::nullopt, fill);
  return store.write(200, std::nullopt, fill).folder;
}

TEST(TrainedDrafter, IsThatOfTheNewestCheckpointOfARun) {
  const TemporaryFolder temporary;
  const fs::path newest = make_run(temporary.path() / "run", {"drafter"});
  const TrainedDrafter found = find_trained_drafter(temporary.path() / "run" / "");
  EXPECT_EQ(found.weights, newest / "drafter" / "drafter.safetensors");
  EXPECT_EQ(found.resolved.at("graph").at("name"), "train");
}

TEST(TrainedDrafter, IsThatOfTheCheckpointNamed) {
  const TemporaryFolder temporary;
  const fs::path newest = make_run(temporary.path() / "run", {"drafter"});
  const TrainedDrafter found = find_trained_drafter(newest);
  EXPECT_EQ(found.run_folder, temporary.path() / "run");
}

TEST(TrainedDrafter, SkipsADamagedNewestCheckpointOfARunButRefusesItByName) {
  const TemporaryFolder temporary;
  const fs::path newest = make_run(temporary.path() / "run", {"drafter"});
  write_file(newest / "drafter" / "drafter.safetensors", "WEIGHTS");
  EXPECT_THROW(find_trained_drafter(newest), UserError);
  EXPECT_THAT(find_trained_drafter(temporary.path() / "run").weights.string(), ::testing::HasSubstr("step-000100"));
}

TEST(TrainedDrafter, RefusesACheckpointWithoutOneDrafter) {
  const TemporaryFolder temporary;
  make_run(temporary.path() / "none", {});
  make_run(temporary.path() / "two", {"first", "second"});
  EXPECT_THROW(find_trained_drafter(temporary.path() / "none"), UserError);
  EXPECT_THROW(find_trained_drafter(temporary.path() / "two"), UserError);
}

TEST(TrainedDrafter, RefusesWhatIsNoRun) {
  const TemporaryFolder temporary;
  EXPECT_THROW(find_trained_drafter(temporary.path()), UserError);
  EXPECT_THROW(find_trained_drafter(temporary.path() / "absent"), UserError);
  write_file(temporary.path() / "resolved.json", "{}");
  EXPECT_THROW(find_trained_drafter(temporary.path()), UserError);
}

}  // namespace
}  // namespace dflash
