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

// As a manifest of another origin may be: its hash of itself is right.
void write_sealed(const std::filesystem::path& folder, Json json) {
  json["manifest_xxh3"] = hash_text(json.dump());
  write_durably(folder / kManifestName, json.dump());
}

TEST(CheckpointManifest, RefusesMembersOfAnotherKind) {
  const TemporaryFolder folder;
  const Json good{{"schema", "dflash-checkpoint/1"}, {"step", 2}, {"score", nullptr}, {"files", Json::array()}};
  write_sealed(folder.path(), good);
  EXPECT_EQ(read_manifest(folder.path()).step, 2);
  for (const char* change :
       {R"({"step": 2.5})", R"({"step": 1e300})", R"({"step": "2"})", R"({"score": "best"})", R"({"files": 3})",
        R"({"files": {"a": 1}})", R"({"files": [3]})", R"({"files": [{"name": "a", "bytes": 1e300, "xxh3": "0"}]})"}) {
    Json changed = good;
    changed.update(Json::parse(change));
    write_sealed(folder.path(), changed);
    EXPECT_THAT([&] { (void)read_manifest(folder.path()); },
                ThrowsMessage<UserError>(HasSubstr("'manifest.json' is damaged: ")))
        << change;
  }
}

TEST(CheckpointManifest, RefusesDeepNesting) {
  const TemporaryFolder folder;
  write_durably(folder.path() / kManifestName,
                "{\"a\": " + std::string(1'000'000, '[') + std::string(1'000'000, ']') + "}");
  EXPECT_THAT([&] { (void)read_manifest(folder.path()); }, ThrowsMessage<UserError>(HasSubstr("is no JSON object")));
}

}  // namespace
}  // namespace dflash
