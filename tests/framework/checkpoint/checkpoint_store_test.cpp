// SPDX-License-Identifier: Apache-2.0
#include "framework/checkpoint/checkpoint_store.h"

#include <fstream>
#include <stdexcept>

#include <gmock/gmock.h>

#include "framework/checkpoint/checkpoint_manifest.h"
#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

void write_weights(const fs::path& folder) {
  write_durably(folder / "cut.json", R"({"step": 1})");
  fs::create_directory(folder / "drafter");
  write_durably(folder / "drafter" / "weights.bin", std::string(5000, 'w'));
}

void flip_one_bit(const fs::path& file) {
  std::fstream stream{file, std::ios::in | std::ios::out | std::ios::binary};
  stream.seekg(100);
  const int byte = stream.get();
  stream.seekp(100);
  stream.put(static_cast<char>(byte ^ 1));
}

class CheckpointStoreTest : public ::testing::Test {
 protected:
  CheckpointStore store(CheckpointPolicy policy = {.keep_last = 10}) const { return CheckpointStore{root_, policy}; }
  std::vector<std::int64_t> steps() const {
    std::vector<std::int64_t> found;
    for (const Checkpoint& checkpoint : store().list()) {
      found.push_back(checkpoint.step);
    }
    return found;
  }
  TemporaryFolder folder_;
  fs::path root_ = folder_.path() / "checkpoints";
};

TEST_F(CheckpointStoreTest, NamesAFolderByItsStepAndSealsIt) {
  const Checkpoint written = store().write(200, 0.5, write_weights);
  EXPECT_EQ(written.folder, root_ / "step-000200");
  EXPECT_EQ(CheckpointStore::verify(written.folder), std::nullopt);
  const CheckpointManifest manifest = read_manifest(written.folder);
  ASSERT_THAT(manifest.files, SizeIs(2));
  EXPECT_EQ(manifest.files[1].name, "drafter/weights.bin");
  EXPECT_EQ(manifest.files[1].bytes, 5000);
  EXPECT_EQ(manifest.score, 0.5);
}

TEST_F(CheckpointStoreTest, FindsNothingInAnEmptyOrMissingFolder) {
  EXPECT_EQ(store().newest_valid().checkpoint, std::nullopt) << "missing";
  fs::create_directory(root_);
  EXPECT_EQ(store().newest_valid().checkpoint, std::nullopt) << "empty";
}

TEST_F(CheckpointStoreTest, GivesTheNewestBeyondSixDigits) {
  store().write(999'999, {}, write_weights);
  store().write(1'000'000, {}, write_weights);
  EXPECT_EQ(store().newest_valid().checkpoint->step, 1'000'000);
}

TEST_F(CheckpointStoreTest, SkipsATruncatedFileAndSaysSo) {
  store().write(100, {}, write_weights);
  const Checkpoint damaged = store().write(200, {}, write_weights);
  fs::resize_file(damaged.folder / "drafter" / "weights.bin", 4000);
  const NewestValid found = store().newest_valid();
  EXPECT_EQ(found.checkpoint->step, 100);
  ASSERT_THAT(found.skipped, SizeIs(1));
  EXPECT_EQ(found.skipped[0].folder, damaged.folder);
  EXPECT_EQ(found.skipped[0].reason, "'drafter/weights.bin' has 4000 bytes, 5000 were written");
}

TEST_F(CheckpointStoreTest, SeesAFlippedBit) {
  const Checkpoint damaged = store().write(200, {}, write_weights);
  flip_one_bit(damaged.folder / "drafter" / "weights.bin");
  EXPECT_THAT(CheckpointStore::verify(damaged.folder),
              Optional(HasSubstr("'drafter/weights.bin' is not as it was written")));
  EXPECT_EQ(store().newest_valid().checkpoint, std::nullopt);
}

TEST_F(CheckpointStoreTest, SeesAFlippedBitInTheManifest) {
  const Checkpoint damaged = store().write(200, {}, write_weights);
  std::string text = read_text(damaged.folder / kManifestName);
  text.replace(text.find("200"), 3, "300");
  write_durably(damaged.folder / kManifestName, text);
  EXPECT_THAT(CheckpointStore::verify(damaged.folder), Optional(HasSubstr("manifest.json")));
}

TEST_F(CheckpointStoreTest, SeesAMissingFile) {
  const Checkpoint damaged = store().write(200, {}, write_weights);
  fs::remove(damaged.folder / "cut.json");
  EXPECT_THAT(CheckpointStore::verify(damaged.folder), Optional(std::string("'cut.json' is missing")));
}

TEST_F(CheckpointStoreTest, SeesAMissingOrCutManifest) {
  const Checkpoint damaged = store().write(200, {}, write_weights);
  fs::resize_file(damaged.folder / kManifestName, 20);
  EXPECT_THAT(CheckpointStore::verify(damaged.folder), Optional(HasSubstr("is no JSON object")));
  fs::remove(damaged.folder / kManifestName);
  EXPECT_THAT(CheckpointStore::verify(damaged.folder), Optional(HasSubstr("is missing")));
}

TEST_F(CheckpointStoreTest, IgnoresAndThenRemovesWhatAnInterruptedWriteLeft) {
  fs::create_directories(root_ / ".writing-step-000100");
  write_durably(root_ / ".writing-step-000100" / "half", "x");
  EXPECT_EQ(store().newest_valid().checkpoint, std::nullopt);
  store().write(200, {}, write_weights);
  EXPECT_FALSE(fs::exists(root_ / ".writing-step-000100"));
}

TEST_F(CheckpointStoreTest, LeavesEarlierOnesAloneWhenFillingFails) {
  store().write(100, {}, write_weights);
  EXPECT_THROW(store({.keep_last = 1}).write(200, {}, [](const fs::path&) { throw std::runtime_error("no"); }),
               std::runtime_error);
  EXPECT_THAT(steps(), ElementsAre(100));
  EXPECT_EQ(std::distance(fs::directory_iterator{root_}, {}), 1);
}

TEST_F(CheckpointStoreTest, SaysWhenTheDiskRefuses) {
  write_durably(root_, "a file where the folder should be");
  EXPECT_THAT([&] { store().write(200, {}, write_weights); },
              ThrowsMessage<UserError>(HasSubstr("the checkpoint of step 200 could not be written")));
}

TEST_F(CheckpointStoreTest, KeepsTheLast) {
  for (const std::int64_t step : {100, 200, 300, 400}) {
    store({.keep_last = 2}).write(step, {}, write_weights);
  }
  EXPECT_THAT(steps(), ElementsAre(300, 400));
}

TEST_F(CheckpointStoreTest, KeepsTheBestBesideTheLast) {
  store({.keep_last = 1, .keep_best = 1}).write(100, 3.0, write_weights);
  store({.keep_last = 1, .keep_best = 1}).write(200, 4.0, write_weights);
  store({.keep_last = 1, .keep_best = 1}).write(300, 2.0, write_weights);
  store({.keep_last = 1, .keep_best = 1}).write(400, 1.0, write_weights);
  EXPECT_THAT(steps(), ElementsAre(200, 400));
}

TEST_F(CheckpointStoreTest, KeepsTheNewerOfTwoEquallyGood) {
  for (const std::int64_t step : {100, 200, 300}) {
    store({.keep_last = 1, .keep_best = 1}).write(step, step == 300 ? 0.0 : 4.0, write_weights);
  }
  EXPECT_THAT(steps(), ElementsAre(200, 300));
}

TEST_F(CheckpointStoreTest, KeepsTheOneJustWrittenBelowADamagedLaterOne) {
  store().write(100, {}, write_weights);
  const Checkpoint damaged = store().write(400, {}, write_weights);
  fs::remove(damaged.folder / "cut.json");
  store({.keep_last = 1}).write(200, {}, write_weights);
  EXPECT_EQ(store().newest_valid().checkpoint->step, 200);
}

TEST_F(CheckpointStoreTest, ReplacesACheckpointOfTheSameStep) {
  const Checkpoint first = store().write(200, {}, write_weights);
  fs::remove(first.folder / "cut.json");
  store().write(200, 7.0, write_weights);
  const NewestValid found = store().newest_valid();
  EXPECT_EQ(found.checkpoint->score, 7.0);
  EXPECT_THAT(found.skipped, IsEmpty());
}

TEST_F(CheckpointStoreTest, RefusesAPolicyThatKeepsNone) {
  EXPECT_THROW(CheckpointStore(root_, {.keep_last = 0}), InternalError);
}

TEST_F(CheckpointStoreTest, SkipsWhatCannotBeLookedAt) {
  store().write(1, {}, write_weights);
  const fs::path newer = store().write(2, {}, write_weights).folder;
  fs::create_symlink("step-000003", root_ / "step-000003");
  fs::remove(newer / kManifestName);
  fs::create_symlink(kManifestName, newer / kManifestName);
  EXPECT_THAT(steps(), ElementsAre(1));
  const NewestValid found = store().newest_valid();
  EXPECT_EQ(found.checkpoint->step, 1);
  ASSERT_THAT(found.skipped, SizeIs(1));
  EXPECT_THAT(found.skipped[0].reason, HasSubstr("symbolic links"));
}

TEST_F(CheckpointStoreTest, RefusesNamesThatAreNoFileOfTheFolder) {
  const fs::path folder = store().write(1, {}, write_weights).folder;
  const auto problem = [&](const std::string& name) {
    write_manifest(folder, {.step = 1, .score = {}, .files = {{.name = name, .bytes = 13, .hash = "0"}}});
    return CheckpointStore::verify(folder);
  };
  EXPECT_THAT(problem(std::string(5000, 'x')), Optional(HasSubstr("is missing")));
  EXPECT_THAT(problem("../elsewhere"), Optional(HasSubstr("'../elsewhere' lies outside the folder")));
  EXPECT_THAT(problem("/etc/hostname"), Optional(HasSubstr("lies outside the folder")));
  EXPECT_THAT(problem("drafter/../../elsewhere"), Optional(HasSubstr("lies outside the folder")));
  EXPECT_THAT(problem(""), Optional(HasSubstr("'' is missing")));
}

}  // namespace
}  // namespace dflash
