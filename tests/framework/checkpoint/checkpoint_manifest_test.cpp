// SPDX-License-Identifier: Apache-2.0
#include "framework/checkpoint/checkpoint_manifest.h"

#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "framework/core/json.h"
#include "tests/support/any_json.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(CheckpointManifest, SealsEveryFileBelowTheFolderByName) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "b" / "empty");
  write_durably(folder.path() / "b" / "inner", "12345");
  write_durably(folder.path() / "a", "");
  EXPECT_THAT(seal_files(folder.path()), ElementsAre(Field(&CheckpointManifest::File::name, "a"),
                                                     Field(&CheckpointManifest::File::name, "b/inner")));
}

TEST(CheckpointManifest, ComesBackAsItWasWritten) {
  const TemporaryFolder folder;
  write_manifest(folder.path(), {.step = 200, .score = 0.1, .files = {{.name = "a", .bytes = 5, .hash = "00"}}});
  const CheckpointManifest manifest = read_manifest(folder.path());
  EXPECT_EQ(manifest.step, 200);
  EXPECT_EQ(manifest.score, 0.1);
  EXPECT_THAT(manifest.files, ElementsAre(Field(&CheckpointManifest::File::bytes, 5)));
}

TEST(CheckpointManifest, KeepsThatThereIsNoScore) {
  const TemporaryFolder folder;
  write_manifest(folder.path(), {.step = 200, .score = {}, .files = {}});
  EXPECT_EQ(read_manifest(folder.path()).score, std::nullopt);
}

TEST(CheckpointManifest, RefusesAnotherSchema) {
  const TemporaryFolder folder;
  write_durably(folder.path() / kManifestName, R"({"schema": "dflash-checkpoint/9"})");
  EXPECT_THAT([&] { (void)read_manifest(folder.path()); }, ThrowsMessage<UserError>(HasSubstr("has another schema")));
}

TEST(CheckpointManifest, RefusesAnyChange) {
  const TemporaryFolder folder;
  write_manifest(folder.path(), {.step = 200, .score = 0.1, .files = {{.name = "a", .bytes = 5, .hash = "00"}}});
  const Json written = Json::parse(read_text(folder.path() / kManifestName));
  EXPECT_TRUE(rc::check([&] {
    const Json changed = mutated(written);
    RC_PRE(changed != written);
    std::ofstream{folder.path() / kManifestName} << changed;
    RC_ASSERT_THROWS_AS(read_manifest(folder.path()), UserError);
  }));
}

}  // namespace
}  // namespace dflash
