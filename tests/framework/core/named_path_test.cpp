// SPDX-License-Identifier: Apache-2.0
#include "framework/core/named_path.h"

#include <fstream>

#include <gmock/gmock.h>

#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

class NamedPathTest : public testing::Test {
 protected:
  NamedPathTest() {
    fs::create_directories(root_ / "configs" / "tiny");
    std::ofstream{root_ / "configs" / "tiny" / "drafter.json"} << "{}";
  }
  [[nodiscard]] std::string file_problem(const fs::path& path) const {
    return path_problem(root_ / path, PathKind::kFile, "file").value_or("");
  }
  [[nodiscard]] std::string in(const std::string& path) const { return (root_ / path).string(); }

  TemporaryFolder folder_;
  fs::path root_ = folder_.path();
};

TEST_F(NamedPathTest, HasNothingToSayOfWhatIsThere) {
  EXPECT_EQ(file_problem("configs/tiny/drafter.json"), "");
  EXPECT_EQ(path_problem(root_ / "configs", PathKind::kFolder, "folder"), std::nullopt);
  EXPECT_EQ(path_problem("/dev/null", PathKind::kFile, "file"), std::nullopt);
}

TEST_F(NamedPathTest, NamesTheNearestFile) {
  EXPECT_EQ(file_problem("configs/tiny/draftr.json"), "no such file '" + in("configs/tiny/draftr.json") +
                                                          "'; did you mean '" + in("configs/tiny/drafter.json") + "'?");
}

TEST_F(NamedPathTest, NamesTheNearestFileBelowAMisspeltFolder) {
  EXPECT_EQ(nearest_path(root_ / "confgis/tiny/draftr.json"), root_ / "configs/tiny/drafter.json");
}

TEST_F(NamedPathTest, NamesNoneWhereNoneIsNear) {
  EXPECT_EQ(file_problem("data.jsonl"), "no such file '" + in("data.jsonl") + "'");
  EXPECT_EQ(file_problem("configs/tiny/drafter.json/x"), "no such file '" + in("configs/tiny/drafter.json/x") + "'");
}

TEST_F(NamedPathTest, TellsFilesFromFolders) {
  EXPECT_EQ(file_problem("configs"), "'" + in("configs") + "' is a folder, allowed: a file");
  EXPECT_EQ(path_problem(root_ / "configs/tiny/drafter.json", PathKind::kFolder, "model folder"),
            "'" + in("configs/tiny/drafter.json") + "' is a file, allowed: a model folder");
}

TEST_F(NamedPathTest, SaysWhatCannotBeLookedAt) {
  EXPECT_THAT(file_problem(std::string(5000, 'x')), testing::HasSubstr("cannot be looked at"));
}

}  // namespace
}  // namespace dflash
